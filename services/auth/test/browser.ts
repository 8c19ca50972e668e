import { createHash, createHmac, randomBytes } from 'node:crypto';
import { formToken } from '../src/user-session/form-token.ts';

/** The redirect URI that every TPP of the tests has registered. */
export const REDIRECT = 'https://tpp.test/callback';

/** The address and the content of an answer to a browser. */
export interface Visit {
  status: number;
  headers: Headers;
  text: string;
  /** Absent: no redirect. */
  location: string | undefined;
  /** The parameters of `location`. */
  told: URLSearchParams;
}

/** A browser reduced to the protocol: it stores cookies and follows no redirect. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();

  /** Sends a form. */
  send(
    url: string,
    form: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<Visit> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    return this.visit(url, { method: 'POST', headers: { ...type, ...headers }, body });
  }

  async visit(
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Visit> {
    const kept = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(kept === '' ? {} : { cookie: kept }), ...init.headers };
    const response = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location') ?? undefined;
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location,
      told: new URL(location ?? 'about:blank', url).searchParams,
    };
  }
}

/**
 * Returns the form or address tokens that a browser's user could forge without the server's key.
 * @param about the values that the token covers
 */
export function forgedTokens(browser: TestBrowser, about: readonly string[]): string[] {
  const secret = browser.cookies.get('__Host-kontoport-browser')!;
  const bySecret = createHmac('sha256', secret).update(JSON.stringify(about)).digest('base64url');
  const keys = [secret, '', '\0'.repeat(32)];
  return [bySecret, ...keys.map((key) => formToken({ key: Buffer.from(key), secret, about }))];
}

/** Makes a PKCE verifier and its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A valid authorization request; `changes` replace parameters, and undefined removes one. */
export function asked(
  clientId: string,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    state: 'the state',
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Returns the address at which a browser opens the request. */
export function authorizeUrl(userOrigin: string, parameters: Record<string, string> | string): string {
  return `${userOrigin}/oauth2/authorize?${new URLSearchParams(parameters).toString()}`;
}
