import { hashClientSecret, toPepper } from './client-secret.model.ts';

const [one, two, three] = [1, 2, 3].map((byte) => toPepper(new Uint8Array(32).fill(byte))) as [
  ReturnType<typeof toPepper>,
  ReturnType<typeof toPepper>,
  ReturnType<typeof toPepper>,
];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a client secret', () => {
  it('is stored as HMAC-SHA256 under the pepper, with the name of the pepper', () => {
    // printf hush | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01
    const { hash, pepperId } = hashClientSecret('hush', one);
    expect(hex(hash)).toBe('44da63f4af33449b124a9f77377cb8769c32b5369f35d7142807e87aaf10eac8');
    expect(hex(pepperId)).toBe(hex(one.id));
  });
});

describe('the name of a pepper', () => {
  it('is 8 bytes of an HMAC under it: the same in every process, different for each pepper', () => {
    // printf 'kontoport: which pepper this is' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01 | cut -c1-16
    expect(hex(one.id)).toBe('fb66ba59e78a2c10');
    expect(new Set([one, two, three].map(({ id }) => hex(id))).size).toBe(3);
  });
});
