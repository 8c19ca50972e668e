import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Sent back by one browser to one host, over TLS alone, and never from within another site's page. */
const COOKIE = '__Host-kontoport-browser';
const KEY_BYTES = 32;
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** The key of the browser that sends these headers; undefined when it has none yet. */
export function readBrowserKey({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const pair of cookie.split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === COOKIE && KEY.test(value)) return value;
  }
  return undefined;
}

/** A key for a browser that has none. */
export function newBrowserKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** What a browser is told to keep, until it is closed. */
export function browserKeyCookie(key: string): string {
  return `${COOKIE}=${key}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}
