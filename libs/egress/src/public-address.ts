import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { type AddressRange, isIn } from './address-range.ts';

/** The allowed addresses beside those of the public internet. */
export interface EgressRule {
  /** Loopback addresses, and names for them; for a sandbox on one machine. */
  allowLoopback: boolean;
  /** Blocks that are allowed as well. */
  allow?: readonly AddressRange[] | undefined;
  /** Blocks that are never allowed; they win over everything else. */
  deny?: readonly AddressRange[] | undefined;
}

/** All global unicast addresses of IPv6 that are assigned today; what ipaddr.js calls unicast is wider. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');
/** A gateway translates its addresses to IPv4 (RFC 6052): the last 32 bits are the real destination. */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Whether an address belongs to the public internet: unicast, and neither private, shared, link-local, documentation
 * nor reserved. An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is judged as what it is; translated and
 * tunnelled ones are not public.
 * @param address IPv4 or IPv6 in text form, without brackets
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  return parsed !== undefined && isPublic(parsed);
}

/**
 * Whether a connection may be made to this address: a public one, one in an allowed block, or loopback where the rule allows it;
 * never one in a denied block. A translated address must be in an allowed block itself, and its destination must be public or in an
 * allowed block.
 */
export function isAllowedAddress(
  address: string,
  { allowLoopback, allow = [], deny = [] }: EgressRule,
): boolean {
  const parsed = parse(address);
  if (parsed === undefined) return false;
  const target = targetOf(parsed);
  if (isIn(deny, parsed) || isIn(deny, target)) return false;
  if (target !== parsed) return isIn(allow, parsed) && (isPublic(target) || isIn(allow, target));
  return isPublic(parsed) || isIn(allow, parsed) || (allowLoopback && parsed.range() === 'loopback');
}

/** Parses an address into the form that the checks use; undefined for any other text. */
function parse(address: string): IPv4 | IPv6 | undefined {
  // ipaddr.js parses the deprecated, unroutable form `::8.8.8.8` as `::ffff:8.8.8.8`.
  if (isIP(address) === 0 || /^::\d+\./.test(address)) return undefined;
  return ipaddr.process(address);
}

function isPublic(address: IPv4 | IPv6): boolean {
  return (
    address.range() === 'unicast' &&
    (address.kind() === 'ipv4' || (address as IPv6).match(GLOBAL_UNICAST_V6 as [IPv6, number]))
  );
}

/** Returns the destination of a packet: the IPv4 address in a translated one, else the address itself. */
function targetOf(address: IPv4 | IPv6): IPv4 | IPv6 {
  const isTranslated = address.kind() === 'ipv6' && (address as IPv6).match(TRANSLATED as [IPv6, number]);
  return isTranslated ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}
