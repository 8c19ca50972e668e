import { createHash, randomBytes } from 'node:crypto';
import { expectThat, listOf, textOf } from './expectations.ts';
import { masked } from './narrator.ts';
import { tokenCall } from './register.ts';
import { api, ask, type Asked, followBrowser, REDIRECT_URI, type SignedIn, type Visit } from './script.ts';

/** The simulated user, and the scope of the consent. */
const USER = { login_hint: 'private-dk', scope: 'PSP_AI' };

/** A user's token, and the accounts of its consent. */
interface UserToken {
  accessToken: string;
  refreshToken: string;
  accountIds: string[];
}

/** Gets a user's consent by the code flow with PKCE and without a page (`prompt=none`), reads its accounts, and refreshes (§5.9). */
export async function askUser(tour: Visit): Promise<void> {
  const { narrator } = tour;
  await narrator.chapter('Ask a simulated user for consent, and read the accounts of the consent');
  const verifier = randomBytes(32).toString('base64url');
  const code = await fetchCode(tour, verifier);

  narrator.step("Redeem the code for the user's token");
  const shown = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI };
  const redeemed = await requestToken(tour, shown, { code, code_verifier: verifier });
  const { token } = redeemed;
  const [consent] = listOf(redeemed.asked.json, 'authorization_details');
  narrator.exchange(redeemed.asked, {
    access_token: masked(token.accessToken),
    refresh_token: masked(token.refreshToken),
    consentId: textOf(consent!, 'consentId'),
    validUntil: textOf(consent!, 'validUntil'),
    accounts: token.accountIds.length,
  });

  narrator.step('Read the accounts of the consent, and no others');
  const all = accountIds(await api(tour, { path: '/accounts' }));
  const { asked, ids } = await readAs(tour, token);
  expectThat(
    ids.length < all.length && ids.every((id) => all.includes(id)),
    "fewer accounts than the client's own token sees",
    ids,
  );
  narrator.exchange(asked, { accounts: `${ids.length} of ${all.length}` });

  narrator.step('Refresh the token');
  const next = await requestToken(
    tour,
    { grant_type: 'refresh_token' },
    { refresh_token: token.refreshToken },
  );
  expectThat(next.token.accessToken !== token.accessToken, 'another access token', 'the same');
  await readAs(tour, next.token);
  narrator.exchange(next.asked, {
    access_token: masked(next.token.accessToken),
    refresh_token: masked(next.token.refreshToken),
  });
}

async function fetchCode(tour: Visit, verifier: string): Promise<string> {
  const { sandbox, credentials, narrator } = tour;
  const state = randomBytes(12).toString('base64url');
  const parameters = new URLSearchParams({
    prompt: 'none',
    ...USER,
    response_type: 'code',
    client_id: credentials.clientId,
    redirect_uri: REDIRECT_URI,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await followBrowser(tour, `${sandbox.userUrl}/oauth2/authorize?${parameters.toString()}`);
  const answered = new URL(page.location).searchParams;
  expectThat(answered.get('state') === state, 'the same state', answered.get('state') ?? 'none');
  const iss = answered.get('iss');
  expectThat(iss === sandbox.authUrl, `iss ${sandbox.authUrl}`, iss ?? 'none');
  const code = answered.get('code');
  expectThat(code !== null, 'a code', answered.get('error') ?? 'none');
  narrator.exchange(page, { location: `${REDIRECT_URI}?…`, code: masked(code) });
  return code;
}

/** Requests a user's token; the secret parameters are not printed. */
async function requestToken(
  tour: SignedIn,
  shown: Record<string, string>,
  secret: Record<string, string>,
): Promise<{ asked: Asked; token: UserToken }> {
  const call = tokenCall(tour.sandbox, tour.credentials);
  const { answer, json } = await ask(tour, { ...call, form: { ...shown, ...secret } }, [200]);
  const [consent] = listOf(json, 'authorization_details');
  expectThat(consent !== undefined, '`authorization_details` with the consent', 'none');
  return {
    asked: { call: { ...call, form: shown }, answer, json },
    token: {
      accessToken: textOf(json, 'access_token'),
      refreshToken: textOf(json, 'refresh_token'),
      accountIds: listOf(consent, 'accounts').map((account) => textOf(account, 'id')),
    },
  };
}

/** Reads the accounts with a user's token: exactly those of its consent. */
async function readAs(tour: SignedIn, token: UserToken): Promise<{ asked: Asked; ids: string[] }> {
  const asked = await api({ ...tour, authorization: `Bearer ${token.accessToken}` }, { path: '/accounts' });
  const ids = accountIds(asked);
  const consented = token.accountIds.toSorted().join();
  expectThat(ids.toSorted().join() === consented, `the accounts ${consented}`, ids);
  return { asked, ids };
}

const accountIds = ({ json }: Asked): string[] =>
  listOf(json, 'accounts').map((account) => textOf(account, 'id'));
