import { createHash, randomBytes } from 'node:crypto';
import { expectStatus, expectThat, type Json, jsonOf, listOf, textOf } from './expectations.ts';
import { masked } from './narrator.ts';
import { type Credentials, tokenCall } from './register.ts';
import { REDIRECT_URI, type Session, type Tour } from './script.ts';
import { type Answer, type Call, createTppClient } from './tpp-client.ts';

/** The simulated user who is asked, and what for. */
const USER = { login_hint: 'private-dk', scope: 'PSP_AI' };

/** A user's token, and what the consent under it opens. */
interface UserToken {
  accessToken: string;
  refreshToken: string;
  accountIds: string[];
}

/** The code flow with PKCE, without a page: `prompt=none` of the sandbox; then what the consent opens, and a refresh (§5.9). */
export async function askUser(
  tour: Tour,
  { session, credentials, ca }: { session: Session; credentials: Credentials; ca: string },
): Promise<void> {
  const verifier = randomBytes(32).toString('base64url');
  const code = await fetchCode(tour, { clientId: session.clientId, verifier, ca });
  const token = await redeem(tour, { credentials, code, verifier });
  await readConsented(tour, { session, token });
  await refresh(tour, { credentials, token });
}

/** What the user's browser does, which has no client certificate. */
async function fetchCode(
  { sandbox, narrator }: Tour,
  { clientId, verifier, ca }: { clientId: string; verifier: string; ca: string },
): Promise<string> {
  narrator.step('Ask a simulated user for consent, without a page');
  const state = randomBytes(12).toString('base64url');
  const parameters = new URLSearchParams({
    prompt: 'none',
    ...USER,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const call: Call = { method: 'GET', url: `${sandbox.userUrl}/oauth2/authorize?${parameters.toString()}` };
  const browser = createTppClient({ ca });
  try {
    const answer = await browser.call(call);
    expectStatus(answer, 303);
    const location = answer.headers.location ?? '';
    expectThat(location.startsWith(REDIRECT_URI), `a redirect to ${REDIRECT_URI}`, location || 'no Location');
    const told = new URL(location).searchParams;
    expectThat(told.get('state') === state, 'the same state', told.get('state') ?? 'none');
    expectThat(told.get('iss') === sandbox.authUrl, `iss ${sandbox.authUrl}`, told.get('iss') ?? 'none');
    const code = told.get('code');
    expectThat(code !== null, 'a code', told.get('error') ?? 'none');
    narrator.exchange(call, answer, { location: `${REDIRECT_URI}?…`, code: masked(code) });
    return code;
  } finally {
    browser.close();
  }
}

async function redeem(
  { sandbox, tpp, narrator }: Tour,
  { credentials, code, verifier }: { credentials: Credentials; code: string; verifier: string },
): Promise<UserToken> {
  narrator.step("Redeem the code for the user's token");
  const shown = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI };
  const call: Call = { ...tokenCall(sandbox, credentials), form: shown };
  const answer = await tpp.call({ ...call, form: { ...shown, code, code_verifier: verifier } });
  const { token, consent } = userToken(answer);
  narrator.exchange(call, answer, {
    access_token: masked(token.accessToken),
    refresh_token: masked(token.refreshToken),
    consentId: textOf(consent, 'consentId'),
    validUntil: textOf(consent, 'validUntil'),
    accounts: token.accountIds.length,
  });
  return token;
}

function userToken(answer: Answer): { token: UserToken; consent: Json } {
  expectStatus(answer, 200);
  const json = jsonOf(answer);
  const [consent] = listOf(json, 'authorization_details');
  expectThat(consent !== undefined, '`authorization_details` with the consent', 'none');
  const accountIds = listOf(consent, 'accounts').map((account) => textOf(account, 'id'));
  const refreshToken = textOf(json, 'refresh_token');
  return {
    token: { accessToken: textOf(json, 'access_token'), refreshToken, accountIds },
    consent,
  };
}

async function readConsented(
  tour: Tour,
  { session, token }: { session: Session; token: UserToken },
): Promise<void> {
  const { narrator } = tour;
  narrator.step('Read the accounts of the consent, and no others');
  const all = await readAccounts(tour, session.authorization);
  const { call, answer, ids } = await readAccounts(tour, `Bearer ${token.accessToken}`);
  const consented = token.accountIds.toSorted().join();
  expectThat(ids.toSorted().join() === consented, `the accounts ${consented}`, ids);
  expectThat(
    ids.length < all.ids.length && ids.every((id) => all.ids.includes(id)),
    "fewer accounts than the client's own token sees",
    ids,
  );
  narrator.exchange(call, answer, { accounts: `${ids.length} of ${all.ids.length}` });
}

async function refresh(
  tour: Tour,
  { credentials, token }: { credentials: Credentials; token: UserToken },
): Promise<void> {
  const { sandbox, tpp, narrator } = tour;
  narrator.step('Refresh the token');
  const shown = { grant_type: 'refresh_token' };
  const call: Call = { ...tokenCall(sandbox, credentials), form: shown };
  const answer = await tpp.call({ ...call, form: { ...shown, refresh_token: token.refreshToken } });
  const { token: next } = userToken(answer);
  expectThat(next.accessToken !== token.accessToken, 'another access token', 'the same');
  const { ids } = await readAccounts(tour, `Bearer ${next.accessToken}`);
  expectThat(ids.toSorted().join() === token.accountIds.toSorted().join(), 'the same accounts', ids);
  narrator.exchange(call, answer, {
    access_token: masked(next.accessToken),
    refresh_token: masked(next.refreshToken),
  });
}

async function readAccounts(
  { sandbox, tpp }: Tour,
  authorization: string,
): Promise<{ call: Call; answer: Answer; ids: string[] }> {
  const call: Call = { method: 'GET', url: `${sandbox.baseUrl}/accounts`, authorization };
  const answer = await tpp.call(call);
  expectStatus(answer, 200);
  const ids = listOf(jsonOf(answer), 'accounts').map((account) => textOf(account, 'id'));
  return { call, answer, ids };
}
