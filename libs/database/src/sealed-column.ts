import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys of 32 bytes each: the first seals, all of them open. */
export type SealingKeys = readonly Uint8Array[];

/**
 * Encrypts a value for a column (AES-256-GCM, random nonce).
 * @param keys keys of 32 bytes; the first one seals
 * @param context the place of the value, such as `signing-key/<kid>`. It is authenticated, so a value moved to another
 *   row does not open
 * @returns version byte, 12 bytes nonce, 16 bytes tag, ciphertext
 */
export function seal(
  keys: Uint8Array | SealingKeys,
  plaintext: Uint8Array | string,
  context: string,
): Buffer<ArrayBuffer> {
  const key = listed(keys)[0]!;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
}

/**
 * Decrypts a value of `seal` with the matching key and the same context.
 * @throws Error when no key or another context matches, or bytes were changed
 */
export function unseal(keys: Uint8Array | SealingKeys, sealed: Uint8Array, context: string): Buffer {
  for (const key of listed(keys)) {
    const opened = tryOpen(key, sealed, context);
    if (opened !== undefined) return opened;
  }
  throw new Error('a sealed value does not open: another key or context, or changed bytes');
}

/** The index of the key that decrypts a value; undefined when none does. */
export function openerOf(keys: SealingKeys, sealed: Uint8Array, context: string): number | undefined {
  const at = keys.findIndex((key) => tryOpen(key, sealed, context) !== undefined);
  return at < 0 ? undefined : at;
}

const listed = (keys: Uint8Array | SealingKeys): SealingKeys => (keys instanceof Uint8Array ? [keys] : keys);

function tryOpen(key: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  const opened = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    return undefined;
  }
}
