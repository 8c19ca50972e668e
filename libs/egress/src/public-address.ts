import ipaddr from 'ipaddr.js';

/** Where requests to addresses that others chose may lead besides the public internet. */
export interface EgressRule {
  /** Loopback addresses, and names for them; for a sandbox on one machine. */
  allowLoopback: boolean;
}

/** All global unicast addresses of IPv6 that are assigned today; what ipaddr.js calls unicast is wider. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet: unicast, and neither private, shared, link-local, documentation
 * nor reserved. An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is judged as what it is; translated and
 * tunnelled ones are not public.
 * @param address IPv4 or IPv6 in text form, without brackets
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST_V6));
}

/** Whether a connection may be made to this address: a public one, or loopback where the rule allows it. */
export function isAllowedAddress(address: string, { allowLoopback }: EgressRule): boolean {
  if (isPublicAddress(address)) return true;
  return allowLoopback && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
