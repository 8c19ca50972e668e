import { createHmac, randomBytes } from 'node:crypto';
import { createHmacSha256 } from './hmac.ts';

describe('an HMAC-SHA256 (RFC 2104)', () => {
  it.each([0, 1, 32, 63, 64])(
    'under a key of %i octets is what Node makes of the parts together',
    (length) => {
      const key = randomBytes(length);
      const mac = createHmacSha256(key);
      for (const parts of [[], [0], [24, 110], [1, 64, 65], [5_000]].map((lengths) =>
        lengths.map((octets) => randomBytes(octets)),
      )) {
        const expected = createHmac('sha256', key).update(Buffer.concat(parts)).digest();
        expect(mac(...parts).equals(expected)).toBe(true);
      }
    },
  );

  it('takes no longer key, which would have to be hashed first', () => {
    expect(() => createHmacSha256(randomBytes(65))).toThrow('out of bounds');
  });
});
