import type { ApiError } from '@kontoport/errors';
import { uuidOf } from '@kontoport/http';
import { TEXTS } from '../texts.ts';
import { invalidClient, refusedCredentials } from './client-credentials.model.ts';

/** Longer headers cannot be valid credentials. */
export const LONGEST_BASIC = 1_024;

const LONGEST_SECRET = 256;

/**
 * Reads `Authorization: Basic base64(form(clientId):form(clientSecret))` (RFC 6749 §2.3.1, RFC 7617, UTF-8).
 * @throws ApiError invalid_client when the header is of another scheme or malformed.
 */
export function readBasicCredentials(authorization: string): { clientId: string; clientSecret: string } {
  const scheme = /^Basic +/i.exec(authorization)?.[0];
  if (scheme === undefined || authorization.length > LONGEST_BASIC) throw malformed();
  const base64 = authorization.slice(scheme.length);
  const bytes = Buffer.from(base64, 'base64');
  // Node skips characters that are not base64: only the canonical form encodes back to itself.
  if (bytes.toString('base64') !== base64) throw malformed();
  const text = decodeUtf8(bytes);
  const colon = text.indexOf(':');
  if (colon < 0) throw malformed();
  const clientId = uuidOf(decodeForm(text.slice(0, colon)));
  const clientSecret = decodeForm(text.slice(colon + 1));
  // An impossible id or secret has the same answer as a wrong one.
  if (clientId === undefined || clientSecret === '' || clientSecret.length > LONGEST_SECRET)
    throw refusedCredentials();
  return { clientId, clientSecret };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}

function decodeForm(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed();
  }
}

/** Refuses a request without credentials. */
export function credentialsMissing(): ApiError {
  return invalidClient(TEXTS('credentials-missing'));
}

function malformed(): ApiError {
  return invalidClient(TEXTS('credentials-malformed'));
}
