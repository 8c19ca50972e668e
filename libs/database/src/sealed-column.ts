import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a value for a column (AES-256-GCM, random nonce).
 * @param key 32 bytes
 * @param context where the value belongs, such as `signing-key/<kid>`: authenticated, so that a sealed value moved
 *   to another row does not open
 * @returns version byte, 12 bytes nonce, 16 bytes tag, ciphertext
 */
export function seal(key: Uint8Array, plaintext: Uint8Array | string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
}

/**
 * Opens what `seal` made with the same key and context.
 * @throws Error when the key or the context is another, or the bytes were changed.
 */
export function unseal(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION)
    throw new Error('not a sealed value');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  const opened = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    throw new Error('a sealed value does not open: another key or context, or changed bytes');
  }
}
