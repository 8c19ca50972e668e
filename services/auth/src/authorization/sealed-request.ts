import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { seal, unseal } from '@kontoport/database';
import type { Language } from '@kontoport/errors';
import type { RequestedAuthorization } from '../domain/authorization-request.model.ts';
import { idBytes, idText } from '../domain/opaque-token.model.ts';

/** A request that the browser keeps: nothing is stored for an unauthenticated caller. */
interface SealedRequest extends RequestedAuthorization {
  expiresAt: Date;
  /** The SHA-256 of the key of the browser that has opened it. */
  browserKeyHash?: Buffer | undefined;
}

/** The sealed fields, in order. An array keeps addresses short. */
type Fields = [
  clientId: string,
  redirectUri: string,
  codeChallenge: string,
  scopes: string,
  consentDays: number,
  expiresAt: number,
  state: string | null,
  loginHint: string | null,
  prompt: RequestedAuthorization['prompt'] | null,
  language: Language | null,
  browserKeyHash: string | null,
  isPushed: 0 | 1,
];

const ID_BYTES = 16;
/** Longer than any sealed request: state and redirect URI are bounded where they are read. */
export const LONGEST_SEALED = 8_192;

/** Encrypts and authenticates a request. @param kind its use */
export function sealRequest(key: Uint8Array, kind: 'pushed' | 'opened', request: SealedRequest): string {
  const fields: Fields = [
    request.clientId,
    request.redirectUri,
    request.codeChallenge,
    request.scopes.join(' '),
    request.consentDays,
    request.expiresAt.getTime(),
    request.state ?? null,
    request.loginHint ?? null,
    request.prompt ?? null,
    request.language ?? null,
    request.browserKeyHash?.toString('base64url') ?? null,
    request.isPushed ? 1 : 0,
  ];
  const id = idBytes(request.authorizationId);
  const body = seal(keyOf(key, id), JSON.stringify(fields), contextOf(kind));
  return Buffer.concat([id, body]).toString('base64url');
}

/** Opens a sealed request; undefined for a text that we did not seal as this kind, and for an expired request. */
export function openSealedRequest(
  key: Uint8Array,
  kind: 'pushed' | 'opened',
  options: { text: string; now: Date },
): SealedRequest | undefined {
  const { text, now } = options;
  if (text.length > LONGEST_SEALED) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Only the canonical encoding is valid.
  if (bytes.toString('base64url') !== text) return undefined;
  const id = bytes.subarray(0, ID_BYTES);
  const fields = unsealed(() => unseal(keyOf(key, id), bytes.subarray(ID_BYTES), contextOf(kind)));
  if (fields === undefined || fields[5] <= now.getTime()) return undefined;
  const [clientId, redirectUri, codeChallenge, scopes, consentDays, expiresAt] = fields;
  const [, , , , , , state, loginHint, prompt, language, browserKeyHash, isPushed] = fields;
  return {
    authorizationId: idText(id),
    clientId,
    isPushed: isPushed === 1,
    redirectUri,
    codeChallenge,
    scopes: scopes.split(' ') as Role[],
    consentDays,
    expiresAt: new Date(expiresAt),
    state: state ?? undefined,
    loginHint: loginHint ?? undefined,
    prompt: prompt ?? undefined,
    language: language ?? undefined,
    browserKeyHash: browserKeyHash === null ? undefined : Buffer.from(browserKeyHash, 'base64url'),
  };
}

/** Compares a browser's key with a hash, in constant time. */
export function isBrowserKey(hash: Buffer, browserKey: string): boolean {
  return timingSafeEqual(hash, hashBrowserKey(browserKey));
}

/** Hashes a browser's key. */
export function hashBrowserKey(browserKey: string): Buffer {
  return createHash('sha256').update(browserKey).digest();
}

/** Derives a key for each request: anybody can have many requests sealed, and the number of nonces per key is limited. */
function keyOf(key: Uint8Array, id: Uint8Array): Buffer {
  return createHmac('sha256', key).update(id).digest();
}

function contextOf(kind: string): string {
  return `authorization-request/${kind}`;
}

function unsealed(open: () => Buffer): Fields | undefined {
  try {
    return JSON.parse(open().toString()) as Fields;
  } catch {
    return undefined;
  }
}
