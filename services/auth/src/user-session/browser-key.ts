import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readCookie, setCookie } from './cookie.ts';

const COOKIE = '__Host-kontoport-browser';
const KEY_BYTES = 32;

/** The key of the browser that sends these headers; undefined when it has none yet. */
export function readBrowserKey(headers: IncomingHttpHeaders): string | undefined {
  return readCookie(headers, COOKIE);
}

/** A key for a browser that has none. */
export function newBrowserKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** What a browser is told to keep, until it is closed. */
export function browserKeyCookie(key: string): string {
  return setCookie(COOKIE, key);
}
