import { randomInt } from 'node:crypto';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import { expectStatus, expectThat, jsonOf, numberOf, textOf } from './expectations.ts';
import { masked, type Narrator } from './narrator.ts';
import { REDIRECT_URI, type Sandbox, type Session, type Tour } from './script.ts';
import type { Call } from './tpp-client.ts';

const ROLES = ['PSP_AI', 'PSP_PI'] as const;
const NAME = 'Nordlys Regnskab ApS';
const VALID_DAYS = 90;

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** The provider obtains its certificate; in the sandbox it mints one with the sandbox's issuing CA. */
export async function mintIdentity(options: {
  issuer: Sandbox['issuingCa'];
  narrator: Narrator;
}): Promise<Qwac> {
  const { narrator } = options;
  const organizationIdentifier = `PSDDK-DFSA-${randomInt(10_000_000, 100_000_000)}`;
  narrator.step('Mint a QWAC');
  const request = { name: NAME, organizationIdentifier, roles: ROLES, days: VALID_DAYS };
  const qwac = await mintQwac({ request, issuer: await readIssuer(options.issuer), at: new Date() });
  narrator.facts({
    organization: NAME,
    organizationIdentifier,
    roles: ROLES.join(' '),
    notAfter: qwac.notAfter.toISOString(),
  });
  return qwac;
}

/** POST /tpp: needs the certificate only. */
export async function register({ sandbox, tpp, narrator }: Tour): Promise<Credentials> {
  narrator.step('Register');
  const call: Call = {
    method: 'POST',
    url: `${sandbox.registrationUrl}/tpp`,
    json: { name: NAME, roles: ROLES, redirectUris: [REDIRECT_URI] },
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 201);
  const json = jsonOf(answer);
  const credentials = { clientId: textOf(json, 'clientId'), clientSecret: textOf(json, 'clientSecret') };
  narrator.exchange(call, answer, {
    clientId: credentials.clientId,
    clientSecret: masked(credentials.clientSecret),
  });
  return credentials;
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

/** POST /oauth2/token. */
export async function getToken({ sandbox, tpp, narrator }: Tour, credentials: Credentials): Promise<Session> {
  narrator.step('Get an access token');
  const call = tokenCall(sandbox, credentials);
  const answer = await tpp.call(call);
  expectStatus(answer, 200);
  const json = jsonOf(answer);
  const token = textOf(json, 'access_token');
  const type = textOf(json, 'token_type');
  expectThat(type === 'Bearer', '`token_type` Bearer', type);
  narrator.exchange(call, answer, {
    access_token: masked(token),
    token_type: type,
    expires_in: numberOf(json, 'expires_in'),
  });
  return { clientId: credentials.clientId, authorization: `Bearer ${token}` };
}
