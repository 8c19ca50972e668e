import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { seal, unseal } from '@kontoport/database';
import type { Language } from '@kontoport/errors';
import type { RequestedAuthorization } from '../domain/authorization-request.model.ts';
import { idBytes, idText } from '../domain/opaque-token.model.ts';

/** A request that is kept by whoever brings it back: we store nothing for somebody who has proven nothing. */
interface SealedRequest extends RequestedAuthorization {
  expiresAt: Date;
  /** SHA-256 of the key of the browser that it belongs to, once it was opened in one. */
  browserKeyHash?: Buffer | undefined;
}

/** The order of the fields in the seal; short, for it travels in addresses. */
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
/** Longer than any that we make: state and redirect URI are bounded where they are read. */
export const LONGEST_SEALED = 8_192;

/** A text of which nobody else can read, change or make one. @param kind what it may be used as */
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

/** The request in a text; undefined when we have not made it as one of this kind, or its time is over. */
export function openSealedRequest(
  key: Uint8Array,
  kind: 'pushed' | 'opened',
  options: { text: string; now: Date },
): SealedRequest | undefined {
  const { text, now } = options;
  if (text.length > LONGEST_SEALED) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Several texts stand for the same bytes; we have written one of them.
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

/** Whether the key is the one of the hash. */
export function isKeyOf(hash: Buffer, browserKey: string): boolean {
  return timingSafeEqual(hash, hashOfKey(browserKey));
}

/** What is known of a browser's key. */
export function hashOfKey(browserKey: string): Buffer {
  return createHash('sha256').update(browserKey).digest();
}

/** A key for each request: anybody may have as many sealed as they like, and the nonces of one key are counted. */
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
