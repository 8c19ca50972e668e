import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signed texts, readable by everybody. So the bank stores nothing for a login under way. */
export class Proofs {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** @param purpose what the text may be used as @param until milliseconds since 1970 */
  make(purpose: string, value: unknown, until: number): string {
    const body = Buffer.from(JSON.stringify([until, value])).toString('base64url');
    return `${body}.${this.#sign(purpose, body)}`;
  }

  /** Returns the content; undefined for another signer, another purpose, or after its end. */
  read(purpose: string, text: string, now: number): unknown {
    const [body = '', signature = ''] = text.split('.');
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#sign(purpose, body))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [until, value] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, unknown];
    return until > now ? value : undefined;
  }

  #sign(purpose: string, body: string): string {
    return createHmac('sha256', this.#key).update(`${purpose}.${body}`).digest('base64url');
  }
}
