import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { crc32c } from './checksum.ts';

const theirs = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js') as (
  bytes: Buffer,
) => number;

describe('the checksum of a batch of records (KIP-98)', () => {
  it.each([
    { bytes: Buffer.from(''), checksum: 0 },
    { bytes: Buffer.from('123456789'), checksum: 0xe3069283 },
    // RFC 3720, B.4.
    { bytes: Buffer.alloc(32), checksum: 0x8a9136aa },
    { bytes: Buffer.alloc(32, 0xff), checksum: 0x62a8ab43 },
    { bytes: Buffer.from(Array.from({ length: 32 }, (_, at) => at)), checksum: 0x46dd794e },
  ])('of $bytes.length known octets is $checksum', ({ bytes, checksum }) => {
    expect(crc32c(bytes)).toBe(checksum);
  });

  it.each([...Array.from({ length: 18 }, (_, length) => length), 1_000, 65_537])(
    'of any %i octets is that of kafkajs',
    (length) => {
      const bytes = randomBytes(length);
      expect(crc32c(bytes)).toBe(theirs(bytes) >>> 0);
      // A part of a larger memory.
      expect(crc32c(bytes.subarray(1))).toBe(theirs(bytes.subarray(1)) >>> 0);
    },
  );
});
