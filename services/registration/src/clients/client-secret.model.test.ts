import { randomBytes } from 'node:crypto';
import { hashClientSecret, isClientSecret, newClientSecret } from './client-secret.model.ts';

const pepper = new Uint8Array(32).fill(1);

describe('a client secret', () => {
  it('is 32 random bytes in base64url', () => {
    const secrets = new Set(Array.from({ length: 100 }, () => newClientSecret(randomBytes)));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('is stored as HMAC-SHA256 under the pepper', () => {
    // printf hush | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01
    const expected = Buffer.from(hashClientSecret('hush', pepper)).toString('hex');
    expect(expected).toBe('44da63f4af33449b124a9f77377cb8769c32b5369f35d7142807e87aaf10eac8');
  });

  it('is recognised by its hash, under the same pepper only', () => {
    const secret = newClientSecret(randomBytes);
    const storedHash = hashClientSecret(secret, pepper);
    expect(isClientSecret({ secret, storedHash, pepper })).toBe(true);
    expect(isClientSecret({ secret: newClientSecret(randomBytes), storedHash, pepper })).toBe(false);
    expect(isClientSecret({ secret, storedHash, pepper: new Uint8Array(32) })).toBe(false);
    expect(isClientSecret({ secret, storedHash: undefined, pepper })).toBe(false);
  });
});
