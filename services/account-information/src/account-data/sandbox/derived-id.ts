import { createHash } from 'node:crypto';

/** Namespace of the sandbox's ids (RFC 9562 §5.5). */
const NAMESPACE = Buffer.from('6c7e0f0e5d4b4d6f9a1c3b2e8f70a915', 'hex');

/** A UUIDv5: the same name has the same id in every process, and no name leads to another's id. */
export function derivedId(...name: readonly string[]): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name.join('/')).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
