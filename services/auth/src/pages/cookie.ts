import type { IncomingHttpHeaders } from 'node:http';

/** 32 random bytes, base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret in a cookie of ours; undefined where there is none, where it is not one that we made, and where the name stands
 * twice: no browser sends a `__Host-` cookie twice.
 */
export function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const prefix = `${name}=`;
  const [pair, more] = cookie
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text.startsWith(prefix));
  const value = pair?.slice(prefix.length);
  return value !== undefined && more === undefined && SECRET.test(value) ? value : undefined;
}

/**
 * A cookie that no other host can set (`__Host-`), no script reads, and that comes along when a link leads here, but not with a
 * form of another site; it ends with the browser's session.
 */
export function setCookie(name: string, secret: string): string {
  return `${name}=${secret}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

/** Takes the cookie away. */
export function clearCookie(name: string): string {
  return `${setCookie(name, '')}; Max-Age=0`;
}
