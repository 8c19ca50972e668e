import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** A block of addresses: its first one and the length of what they have in common. */
export type AddressRange = readonly [IPv4 | IPv6, number];

/** Blocks that a bank may allow beside the public internet: private networks, and the translation to IPv4 (RFC 6052). */
const PRIVATE = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  '64:ff9b::/96',
];

/**
 * Reads a block in the form `10.20.0.0/16`.
 * @throws Error when it is none, has bits beyond its length, or is an IPv4 block in an IPv6 form
 */
export function readRange(text: string): AddressRange {
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  const isBlock = rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
  if (!isBlock || address.includes('%')) throw new Error('is no block of addresses, such as 10.20.0.0/16');
  const first = ipaddr.parse(address);
  const range: AddressRange = [first, Number(length)];
  // An IPv4 address in IPv6 form is judged as IPv4, so no address would match such a block.
  if (first.range() === 'ipv4Mapped') throw new Error('is IPv4 in a form of IPv6');
  const network = first.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  if (network.networkAddressFromCIDR(text).toString() !== first.toString())
    throw new Error('has bits beyond its length');
  return range;
}

/** Whether the address is in one of the blocks. */
export function isIn(ranges: readonly AddressRange[], address: IPv4 | IPv6): boolean {
  return ranges.some(
    ([first, length]) => first.kind() === address.kind() && address.match(first as IPv4 & IPv6, length),
  );
}

/** Whether the block is within one of those that a bank may allow. */
export function isPrivateRange([first, length]: AddressRange): boolean {
  return PRIVATE.map(readRange).some((range) => length >= range[1] && isIn([range], first));
}
