import { createHash } from 'node:crypto';

/**
 * A UUID version 5 (RFC 9562 §5.5): the same name in a namespace has the same id in every process.
 * @param namespace 16 bytes
 */
export function uuidV5(namespace: Uint8Array, name: string): string {
  const hash = createHash('sha1').update(namespace).update(name).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The 16 bytes of a UUID. */
export function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
