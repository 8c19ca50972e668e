import ipaddr from 'ipaddr.js';

/** Where callbacks may lead besides the public internet. */
export interface EgressRule {
  /** Loopback addresses, and names for them; for a sandbox on one machine. */
  allowLoopback: boolean;
}

/** All global unicast addresses of IPv6 that are assigned today; what ipaddr.js calls unicast is wider. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether a POST may go to this address: public unicast only (or loopback, where the rule allows it). An IPv4 address
 * inside an IPv6 one (`::ffff:10.0.0.1`) is judged as what it is; translated and tunnelled ones are refused.
 * @param address IPv4 or IPv6 in text form, without brackets
 */
export function isAllowedAddress(address: string, { allowLoopback }: EgressRule): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  return range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST_V6));
}
