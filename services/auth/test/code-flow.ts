import { until } from '@kontoport/embedded/wait';
import { type Answer, ask } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { asked, authorizeUrl, pkce, REDIRECT, TestBrowser } from './browser.ts';
import { requestToken, tokenHeaders } from './running.ts';

/** The addresses of a replica of auth. */
export interface Origins {
  origin: string;
  userOrigin: string;
}

/** A code with the other parameters of its redemption. */
export interface GivenCode {
  code: string;
  verifier: string;
}

/** Gets a code of a simulated user, without a page. Waits until the directory knows the TPP. */
export async function newCode(
  { userOrigin }: Origins,
  tpp: TestTpp,
  changes: Record<string, string> = {},
): Promise<GivenCode> {
  const { verifier, challenge } = pkce();
  const parameters = asked(tpp.clientId, { prompt: 'none', code_challenge: challenge, ...changes });
  const visit = () => new TestBrowser().visit(authorizeUrl(userOrigin, parameters));
  const code = await until(async () => (await visit()).told.get('code') ?? undefined, {
    what: 'a code',
  });
  return { code, verifier };
}

/** Redeems a code; `changes` replace parameters. */
export function redeem(
  { origin }: Origins,
  tpp: TestTpp,
  { code, verifier }: GivenCode,
  changes: Record<string, string> = {},
): Promise<Answer> {
  return requestToken(origin, tokenHeaders(tpp), {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...changes,
  });
}

/** Uses a refresh token. */
export function refresh(
  { origin }: Origins,
  tpp: TestTpp,
  token: string,
  changes: { form?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return requestToken(
    origin,
    { ...tokenHeaders(tpp), ...changes.headers },
    { grant_type: 'refresh_token', refresh_token: token, ...changes.form },
  );
}

/** Gets the first tokens of a simulated user. @throws when they are refused */
export async function newTokens(
  at: Origins,
  tpp: TestTpp,
  changes: Record<string, string> = {},
): Promise<{ access: string; refresh: string; body: Answer['body'] }> {
  const { status, body, text } = await redeem(at, tpp, await newCode(at, tpp, changes));
  if (status !== 200) throw new Error(`${status} ${text}`);
  return { access: String(body.access_token), refresh: String(body.refresh_token), body };
}

/** Sends a form with the TPP's credentials. */
export function post(
  at: Origins,
  path: string,
  {
    tpp,
    form,
    headers = {},
  }: { tpp: TestTpp; form: Record<string, string>; headers?: Record<string, string> },
): Promise<Answer> {
  return ask('POST', at.origin + path, {
    headers: {
      ...tokenHeaders(tpp),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(form).toString(),
  });
}
