import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { es256Signature } from './es256-signature.model.ts';

const integer = (octets: Buffer): Buffer => Buffer.concat([Buffer.from([0x02, octets.length]), octets]);

function der(r: Buffer, s: Buffer): Buffer {
  const body = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

const padded = (octets: Buffer): Buffer => Buffer.concat([Buffer.alloc(32 - octets.length), octets]);

describe('the signature of a JWT is R and S in 32 octets each (RFC 7518 §3.4)', () => {
  const whole = Buffer.alloc(32, 0x7a);
  const high = Buffer.alloc(32, 0xa7);
  const short = Buffer.alloc(31, 0x5b);
  const one = Buffer.from([0x01]);

  it.each<[string, Buffer, Buffer]>([
    ['of 32 octets', whole, Buffer.alloc(32, 0x11)],
    ['of which the first would be negative', high, whole],
    ['of which the second would be negative', whole, high],
    ['of which both would be negative', high, Buffer.alloc(32, 0xff)],
    ['of which the first is shorter', short, whole],
    ['of which the second is shorter', whole, short],
    ['of which both are as short as can be', one, one],
  ])('of numbers %s', (_what, r, s) => {
    const written = (octets: Buffer): Buffer =>
      octets[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), octets]) : octets;
    expect(es256Signature(der(written(r), written(s))).toString('hex')).toBe(
      Buffer.concat([padded(r), padded(s)]).toString('hex'),
    );
  });

  it('verifies, whatever the length of its numbers', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    for (let at = 0; at < 600; at++) {
      const data = Buffer.from(String(at));
      expect(verify('sha256', data, key, es256Signature(sign('sha256', data, privateKey)))).toBe(true);
    }
  });
});
