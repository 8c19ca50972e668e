import type { Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

const MAX_REDIRECT_URI_LENGTH = 2_000;

/**
 * Returns the fault of a text as a redirect URI, or nothing (§2.1): it must be absolute, https, with a plain host, without
 * userinfo and without fragment (RFC 6749 §3.1.2).
 * @param options.loopbackHttp whether http is allowed for localhost, 127.0.0.1 and [::1]: during development only
 */
export function redirectUriFault(text: string, options: { loopbackHttp: boolean }): Text | undefined {
  if (text.length > MAX_REDIRECT_URI_LENGTH) return TEXTS('too-long', { most: MAX_REDIRECT_URI_LENGTH });
  // URL repairs invalid URIs (blanks, backslashes, missing slashes), but redirects are compared by their original text.
  if (!URI_CHARACTERS.test(text) || !/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return TEXTS('uri-not-absolute');
  const uri = new URL(text);
  if (uri.username !== '' || uri.password !== '' || authorityOf(text).includes('@')) return TEXTS('uri-user');
  if (text.includes('#')) return TEXTS('uri-fragment');
  if (!/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])$/.test(uri.hostname)) return TEXTS('uri-host');
  if (uri.protocol === 'https:') return undefined;
  if (!LOOPBACK_HOSTS.has(uri.hostname)) return TEXTS('uri-http');
  return options.loopbackHttp ? undefined : TEXTS('uri-https');
}

/** Returns the key of a redirect URI. URIs with the same key are the same to a browser, and so duplicates. */
export function redirectUriKey(uri: string): string {
  return URL.parse(uri)?.href ?? uri;
}

function authorityOf(uri: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(uri)?.[1] ?? '';
}
