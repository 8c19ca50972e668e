import { createHmac, timingSafeEqual } from 'node:crypto';

/** The content of an opaque token: the code of an authorization, or one of its refresh tokens. */
export interface OpaqueToken {
  kind: 'code' | 'refresh-token';
  /** A UUID. */
  authorizationId: string;
  /** The number of a refresh token; 0 for a code. */
  generation: number;
}

const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const LENGTH = Math.ceil(((ID_BYTES + GENERATION_BYTES + MAC_BYTES) * 4) / 3);

/**
 * Makes the text of a code or refresh token: its fields, and an HMAC over them. The same fields always have the same text, so a
 * lost answer can be repeated, and the database contains nothing that is valid at the token endpoint.
 */
export function opaqueToken(key: Uint8Array, token: OpaqueToken): string {
  const named = Buffer.concat([idBytes(token.authorizationId), Buffer.alloc(GENERATION_BYTES)]);
  named.writeUInt32BE(token.generation, ID_BYTES);
  return Buffer.concat([named, macOf(key, token.kind, named)]).toString('base64url');
}

/** Reads a token of this kind; undefined for a text that we did not make. */
export function readOpaqueToken(
  key: Uint8Array,
  kind: OpaqueToken['kind'],
  text: string,
): OpaqueToken | undefined {
  if (text.length !== LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Only the canonical encoding is valid.
  if (bytes.toString('base64url') !== text) return undefined;
  const named = bytes.subarray(0, ID_BYTES + GENERATION_BYTES);
  if (!timingSafeEqual(bytes.subarray(named.length), macOf(key, kind, named))) return undefined;
  return {
    kind,
    authorizationId: idText(named.subarray(0, ID_BYTES)),
    generation: named.readUInt32BE(ID_BYTES),
  };
}

/** Returns the 16 bytes of a UUID. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** Returns the UUID of 16 bytes. */
export function idText(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function macOf(key: Uint8Array, kind: OpaqueToken['kind'], named: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${kind} `).update(named).digest();
}
