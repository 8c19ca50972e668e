import { randomBytes } from 'node:crypto';
import { hashClientSecret, newClientSecret, pepperOfSecret, toPepper } from './client-secret.model.ts';

const [one, two, three] = [1, 2, 3].map((byte) => toPepper(new Uint8Array(32).fill(byte))) as [
  ReturnType<typeof toPepper>,
  ReturnType<typeof toPepper>,
  ReturnType<typeof toPepper>,
];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a client secret', () => {
  it('is 32 random bytes in base64url', () => {
    const secrets = new Set(Array.from({ length: 100 }, () => newClientSecret(randomBytes)));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('is stored as HMAC-SHA256 under the pepper, with what names the pepper', () => {
    // printf hush | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01
    const { hash, pepperId } = hashClientSecret('hush', one);
    expect(hex(hash)).toBe('44da63f4af33449b124a9f77377cb8769c32b5369f35d7142807e87aaf10eac8');
    expect(hex(pepperId)).toBe(hex(one.id));
  });

  it('is recognised by its hash, under whichever pepper that is', () => {
    const secret = newClientSecret(randomBytes);
    for (const pepper of [one, two, three]) {
      const storedHash = hashClientSecret(secret, pepper).hash;
      expect(pepperOfSecret({ secret, storedHash, peppers: [one, two, three] })).toBe(pepper);
    }
  });

  it('is not recognised under another pepper, by another hash or by none', () => {
    const secret = newClientSecret(randomBytes);
    const storedHash = hashClientSecret(secret, one).hash;
    expect(pepperOfSecret({ secret, storedHash, peppers: [two, three] })).toBeUndefined();
    const other = newClientSecret(randomBytes);
    expect(pepperOfSecret({ secret: other, storedHash, peppers: [one, two, three] })).toBeUndefined();
    expect(pepperOfSecret({ secret, storedHash: undefined, peppers: [one, two, three] })).toBeUndefined();
  });
});

describe('the name of a pepper', () => {
  it('is 8 bytes of an HMAC under it: the same in every process, another for another pepper', () => {
    // printf 'kontoport: which pepper this is' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01 | cut -c1-16
    expect(hex(one.id)).toBe('fb66ba59e78a2c10');
    expect(new Set([one, two, three].map(({ id }) => hex(id))).size).toBe(3);
  });
});
