import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';

/** 32 random bytes, base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * No other host can set the cookie (`__Host-`), and no script can read it. Browsers send it with links of other sites, but
 * not with their forms.
 * It ends with the browser's session.
 */
const ATTRIBUTES: Partial<SetCookie> = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' };

/**
 * Reads the secret in a cookie; undefined for a missing or malformed one. Browsers never send a `__Host-` cookie twice, so a
 * repeated one is ignored.
 */
export function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const value = parseCookie(cookie)[name];
  const isSingle = cookie.match(new RegExp(`(?:^|[;\\s])${name}=`, 'g'))?.length === 1;
  return value !== undefined && isSingle && SECRET.test(value) ? value : undefined;
}

/** Makes the header that sets a cookie. */
export function setCookie(name: string, secret: string): string {
  return stringifySetCookie({ ...ATTRIBUTES, name, value: secret });
}

/** Makes the header that removes a cookie. */
export function clearCookie(name: string): string {
  return stringifySetCookie({ ...ATTRIBUTES, name, value: '', maxAge: 0 });
}
