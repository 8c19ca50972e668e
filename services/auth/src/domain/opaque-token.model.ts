import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a text stands for: an authorization's code, or the refresh token of one of its generations. */
export interface Handle {
  kind: 'code' | 'refresh-token';
  /** UUID of the authorization. */
  authorizationId: string;
  /** Which of them; codes have 0 alone. */
  generation: number;
}

const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const LENGTH = Math.ceil(((ID_BYTES + GENERATION_BYTES + MAC_BYTES) * 4) / 3);

/**
 * The text of a code or refresh token: what it stands for, and an HMAC over it. The same one has the same text, so that an
 * answer that was lost can be given again, and the database holds nothing that could be shown at the token endpoint.
 */
export function handleText(key: Uint8Array, handle: Handle): string {
  const named = Buffer.concat([idBytes(handle.authorizationId), Buffer.alloc(GENERATION_BYTES)]);
  named.writeUInt32BE(handle.generation, ID_BYTES);
  return Buffer.concat([named, macOf(key, handle.kind, named)]).toString('base64url');
}

/** What the text stands for; undefined when we have not made it as one of this kind. */
export function readHandle(key: Uint8Array, kind: Handle['kind'], text: string): Handle | undefined {
  if (text.length !== LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Not every text of this length is the one that we would have written.
  if (bytes.toString('base64url') !== text) return undefined;
  const named = bytes.subarray(0, ID_BYTES + GENERATION_BYTES);
  if (!timingSafeEqual(bytes.subarray(named.length), macOf(key, kind, named))) return undefined;
  return {
    kind,
    authorizationId: idText(named.subarray(0, ID_BYTES)),
    generation: named.readUInt32BE(ID_BYTES),
  };
}

/** The 16 bytes of a UUID. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The UUID of 16 bytes. */
export function idText(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function macOf(key: Uint8Array, kind: Handle['kind'], named: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${kind} `).update(named).digest();
}
