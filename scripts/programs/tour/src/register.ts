import { randomInt, randomUUID } from 'node:crypto';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import { expectThat, numberOf, textOf } from './expectations.ts';
import { masked } from './narrator.ts';
import { ask, type Credentials, REDIRECT_URI, type Sandbox, type SignedIn, type Tour } from './script.ts';
import type { Call } from './tpp-client.ts';

const ROLES = ['PSP_AI', 'PSP_PI'] as const;
const NAME = 'Nordlys Regnskab ApS';
const VALID_DAYS = 90;

/** Mints the provider's certificate with the sandbox's issuing CA. */
export async function mintIdentity({ sandbox, narrator }: Pick<Tour, 'sandbox' | 'narrator'>): Promise<Qwac> {
  await narrator.chapter('Mint a QWAC');
  const organizationIdentifier = `PSDDK-DFSA-${randomInt(10_000_000, 100_000_000)}`;
  const request = { name: NAME, organizationIdentifier, roles: ROLES, days: VALID_DAYS };
  const issuer = await readIssuer(sandbox.issuingCa);
  const qwac = await mintQwac({ request, issuer, at: new Date() });
  narrator.facts({
    organization: NAME,
    organizationIdentifier,
    roles: ROLES.join(' '),
    notAfter: qwac.notAfter.toISOString(),
  });
  return qwac;
}

/** Registers with the certificate alone (POST /tpp, §4.2). */
export async function register(tour: Tour): Promise<Credentials> {
  await tour.narrator.chapter('Register');
  const json = { name: NAME, roles: ROLES, redirectUris: [REDIRECT_URI] };
  const asked = await ask(tour, { method: 'POST', url: `${tour.sandbox.registrationUrl}/tpp`, json }, [201]);
  const clientId = textOf(asked.json, 'clientId');
  const clientSecret = textOf(asked.json, 'clientSecret');
  tour.narrator.exchange(asked, { clientId, clientSecret: masked(clientSecret) });
  return { clientId, clientSecret };
}

/** The call for a token: client_secret_basic over the certificate (§4.1). */
export function tokenCall(sandbox: Sandbox, { clientId, clientSecret }: Credentials): Call {
  return {
    method: 'POST',
    url: `${sandbox.authUrl}/oauth2/token`,
    form: { grant_type: 'client_credentials' },
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  };
}

/** Gets the provider's own token. @returns the value of the Authorization header */
export async function getToken(tour: Tour, credentials: Credentials): Promise<string> {
  await tour.narrator.chapter('Get an access token');
  const asked = await ask(tour, tokenCall(tour.sandbox, credentials));
  const token = textOf(asked.json, 'access_token');
  const type = textOf(asked.json, 'token_type');
  expectThat(type === 'Bearer', '`token_type` Bearer', type);
  tour.narrator.exchange(asked, {
    access_token: masked(token),
    token_type: type,
    expires_in: numberOf(asked.json, 'expires_in'),
  });
  return `Bearer ${token}`;
}

/** The call that deletes the client (DELETE /tpp/{clientId}). */
export const deletion = ({ sandbox, credentials, authorization }: SignedIn): Call => ({
  method: 'DELETE',
  url: `${sandbox.registrationUrl}/tpp/${credentials.clientId}`,
  authorization,
});

/** Deletes the client. Afterwards every service rejects its token, and auth issues no new one (§4.2). */
export async function leave(tour: SignedIn): Promise<void> {
  const { sandbox, narrator, credentials, authorization } = tour;
  await narrator.chapter('Delete the client; every service rejects its token');
  narrator.exchange(await ask(tour, deletion(tour), [204]));
  const urls = [
    `${sandbox.baseUrl}/accounts`,
    `${sandbox.baseUrl}/payments/drafts/approve/${randomUUID()}/status`,
    `${sandbox.baseUrl}/v1/webhook-subscriptions`,
    `${sandbox.registrationUrl}/tpp/${credentials.clientId}`,
  ];
  for (const url of urls) {
    const asked = await ask(tour, { method: 'GET', url, authorization }, [401, 403, 404]);
    narrator.exchange(asked, {
      errorCode: textOf(asked.json, 'errorCode'),
      message: textOf(asked.json, 'message'),
    });
  }
  const asked = await ask(tour, tokenCall(sandbox, credentials), [401]);
  narrator.exchange(asked, { error: textOf(asked.json, 'error') });
}
