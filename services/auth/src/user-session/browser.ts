import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readCookie, setCookie } from './cookie.ts';

const COOKIE = '__Host-kontoport-browser';
const KEY_BYTES = 32;

/** The browser of a user, identified by a secret in its cookie. The first answer bound to it sets the cookie. */
export class Browser {
  /** True for a request without a secret. */
  readonly isNew: boolean;
  readonly #key: string;
  #isUsed = false;

  constructor(headers: IncomingHttpHeaders) {
    const known = readCookie(headers, COOKIE);
    this.isNew = known === undefined;
    this.#key = known ?? randomBytes(KEY_BYTES).toString('base64url');
  }

  /** Returns the secret, and binds the answer to this browser. */
  key(): string {
    this.#isUsed = true;
    return this.#key;
  }

  /** The header that sets a new browser's secret; undefined when none is needed. */
  get cookie(): string | undefined {
    return this.isNew && this.#isUsed ? this.renewedCookie() : undefined;
  }

  /** The header that sets the secret, also for a browser that has one. */
  renewedCookie(): string {
    return setCookie(COOKIE, this.#key);
  }
}
