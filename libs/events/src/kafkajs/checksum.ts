import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const PLACE = 'kafkajs/src/protocol/recordBatch/crc32C/index.js';
/** The polynomial of Castagnoli, bits reversed. */
const POLYNOMIAL = 0x82f63b78;
/** Octets that are taken at once. */
const SLICE = 8;

/** At n * 256 + octet: the remainder of the octet when n others follow it. */
const REMAINDERS = new Int32Array(SLICE * 256);
for (let octet = 0; octet < 256; octet++) {
  let rest = octet;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  REMAINDERS[octet] = rest;
}
for (let at = 256; at < REMAINDERS.length; at++) {
  const before = REMAINDERS[at - 256]!;
  REMAINDERS[at] = REMAINDERS[before & 0xff]! ^ (before >>> 8);
}

/**
 * kafkajs 2.2.4 takes the checksum of what it sends octet by octet, which takes as long as to write the records. Its
 * batches look the checksum up when the first of them is made; from here on they find this one.
 */
export function checksumInSlices(): void {
  require(PLACE);
  require.cache[require.resolve(PLACE)]!.exports = crc32c;
}

/** CRC-32C of a batch of records (KIP-98), without sign. */
export function crc32c(bytes: Uint8Array): number {
  const table = REMAINDERS;
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - (SLICE - 1); at < end; at += SLICE) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      table[0x700 + (low & 0xff)]! ^
      table[0x600 + ((low >>> 8) & 0xff)]! ^
      table[0x500 + ((low >>> 16) & 0xff)]! ^
      table[0x400 + (low >>> 24)]! ^
      table[0x300 + bytes[at + 4]!]! ^
      table[0x200 + bytes[at + 5]!]! ^
      table[0x100 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = table[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
