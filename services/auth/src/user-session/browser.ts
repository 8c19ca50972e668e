import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readCookie, setCookie } from './cookie.ts';

const COOKIE = '__Host-kontoport-browser';
const KEY_BYTES = 32;

/** The browser of a user, known by a secret in its cookie. It gets the cookie with the first answer that is bound to it. */
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

  /** The secret; from now on the answer is bound to this browser. */
  key(): string {
    this.#isUsed = true;
    return this.#key;
  }

  /** The header that gives a new browser its secret; undefined where none is needed. */
  get cookie(): string | undefined {
    return this.isNew && this.#isUsed ? this.renewedCookie() : undefined;
  }

  /** The header, also for a browser that has its secret. */
  renewedCookie(): string {
    return setCookie(COOKIE, this.#key);
  }
}
