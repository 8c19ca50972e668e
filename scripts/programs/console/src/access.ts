import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const MAX_LINK_MS = 5 * 60_000;

const newKey = (): string => randomBytes(32).toString('base64url');
const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Admits one browser to the console: the one that opened the link. */
export class Access {
  readonly #origin: string;
  /** Browsers send the cookies of a host to all its ports: two consoles need two names. */
  readonly #cookie: string;
  #link: { hash: Buffer; ends: number } | undefined;
  #session: Buffer | undefined;

  /** @param origin of the console, such as `http://127.0.0.1:8448` */
  constructor(origin: string) {
    this.#origin = origin;
    this.#cookie = `kontoport-console-${new URL(origin).port}`;
  }

  /** Makes a link. It works once, and replaces an earlier one. */
  newLink(): string {
    const key = newKey();
    this.#link = { hash: hash(key), ends: Date.now() + MAX_LINK_MS };
    return `${this.#origin}/open/${key}`;
  }

  /** Whether a request was addressed to the console itself: a foreign name could lead a browser here (DNS rebinding). */
  isOwnHost(host: string | undefined): boolean {
    return host === new URL(this.#origin).host;
  }

  /** Whether the browser says that a page of the console sent a form. */
  isOwnForm(origin: string | undefined): boolean {
    return origin === this.#origin;
  }

  /** Uses up a link. @returns the cookie of the browser; undefined when the link is wrong, used or too old */
  open(key: string): string | undefined {
    const link = this.#link;
    if (link === undefined || link.ends < Date.now() || !timingSafeEqual(link.hash, hash(key)))
      return undefined;
    this.#link = undefined;
    const session = newKey();
    this.#session = hash(session);
    return `${this.#cookie}=${session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a Cookie header has the session of the browser that opened the link. */
  isOpenTo(cookies = ''): boolean {
    const [, session] = new RegExp(`(?:^|; )${this.#cookie}=([\\w-]{43})(?:;|$)`).exec(cookies) ?? [];
    return (
      session !== undefined && this.#session !== undefined && timingSafeEqual(this.#session, hash(session))
    );
  }
}
