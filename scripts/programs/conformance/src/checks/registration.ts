import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RevocationRefused, revoke } from '@kontoport/issuing';
import type { Check } from '../check.ts';
import {
  expectRefusal,
  expectSameRefusal,
  expectStatus,
  expectThat,
  listOf,
  Skipped,
  textOf,
} from '../expectations.ts';
import { REDIRECT_URI, registrationOf, type Request, Tpp } from '../tpp.ts';

const at = 'registrationUrl';
const post = (json: unknown, more: Request = {}): Request => ({
  method: 'POST',
  at,
  token: null,
  json,
  ...more,
});
const pathOf = ({ credentials }: Tpp, rest = ''): string => `/tpp/${credentials.clientId}${rest}`;

/** Registration, client management and certificates. */
export const registrationChecks: readonly Check[] = [
  {
    clause: '4.2',
    id: 'registration-repeated',
    must: 'A repeated registration returns the same client, without the secret; another body is 409.',
    async run(tpp) {
      const headers = { 'x-request-id': randomUUID() };
      const first = await tpp.ask('/tpp', { ...post(registrationOf(tpp.roles), { headers }), status: 201 });
      const again = await tpp.ask('/tpp', { ...post(registrationOf(tpp.roles), { headers }), status: 201 });
      expectThat(first.clientId === again.clientId, 'the same clientId', 'another');
      expectThat(again.clientSecret === undefined, 'no clientSecret in the repetition', 'one');
      const other = { ...registrationOf(tpp.roles), name: 'Another name' };
      expectRefusal(await tpp.send('/tpp', post(other, { headers })), 409, 'IDEMPOTENCY_CONFLICT');
      const credentials = {
        clientId: textOf(first, 'clientId'),
        clientSecret: textOf(first, 'clientSecret'),
      };
      const made = await Tpp.open(tpp.deployment, { identity: tpp.identity, credentials });
      expectStatus(await made.send(pathOf(made), { method: 'DELETE', at }), 204);
    },
  },
  {
    clause: '4.2',
    id: 'registration-form',
    must: 'A registration without name, with no redirect URI, or with one twice is 400.',
    async run(tpp) {
      const whole = registrationOf(tpp.roles);
      const twice = [REDIRECT_URI, REDIRECT_URI];
      for (const change of [
        { name: undefined },
        { redirectUris: [] },
        { redirectUris: twice },
        { roles: [] },
      ])
        expectRefusal(await tpp.send('/tpp', post({ ...whole, ...change })), 400, 'FORMAT_ERROR');
    },
  },
  {
    clause: '2.1',
    id: 'redirect-uri-form',
    must: 'A redirect URI is absolute, without fragment and user information.',
    async run(tpp) {
      for (const uri of ['/callback', `${REDIRECT_URI}#part`, 'https://user@tpp.example/callback']) {
        const json = { ...registrationOf(tpp.roles), redirectUris: [uri] };
        expectRefusal(await tpp.send('/tpp', post(json)), 400, 'FORMAT_ERROR');
      }
    },
  },
  {
    clause: '5.2',
    id: 'roles-of-certificate',
    must: 'A role that the certificate does not have is 403 ROLE_INVALID.',
    async run(tpp) {
      const over = tpp.deployment.open(await tpp.deployment.mint({ roles: ['PSP_AI'] }));
      expectRefusal(await tpp.send('/tpp', post(registrationOf(['PSP_PI']), { over })), 403, 'ROLE_INVALID');
    },
  },
  ...(['expired', 'not-yet-valid'] as const).map((fault): Check => ({
    clause: '5.1',
    id: `certificate-${fault}`,
    must: `A registration over a certificate that is ${fault.replaceAll('-', ' ')} is 403.`,
    async run(tpp) {
      const over = tpp.deployment.open(await tpp.deployment.mint({ fault }));
      const code = fault === 'expired' ? 'CERTIFICATE_EXPIRED' : 'CERTIFICATE_INVALID';
      expectRefusal(await tpp.send('/tpp', post(registrationOf(), { over })), 403, code);
    },
  })),
  {
    clause: '5.1',
    id: 'certificate-revoked',
    must: 'A revoked certificate is rejected within 15 seconds, at every later call.',
    isForSandbox: true,
    async run(tpp) {
      const identity = await tpp.deployment.mint();
      await tpp.withClient({ identity }, async (client) => {
        const ca = dirname(tpp.deployment.config.issuingCa!.certificate);
        const certificate = identity.qwac.chain[0]!;
        await revoke({ ca, certificate, reason: 'superseded', at: new Date() }).catch((error: unknown) => {
          throw error instanceof RevocationRefused
            ? new Skipped('the folder of issuingCa has no revocation list')
            : error;
        });
        const deadline = performance.now() + 15_000;
        for (;;) {
          const answer = await client.send('/accounts');
          if (answer.status !== 200 || performance.now() > deadline) {
            expectRefusal(answer, 401, 'CERTIFICATE_REVOKED');
            break;
          }
          await pause(250);
        }
      });
    },
  },
  {
    clause: '4.2',
    id: 'client',
    must: 'A client reads its record, with its certificates and without its secret.',
    async run(tpp) {
      const json = await tpp.ask(pathOf(tpp), { at });
      expectThat(json.clientId === tpp.credentials.clientId, 'its own clientId', 'another');
      expectThat(json.clientSecret === undefined, 'no clientSecret', 'one');
      expectThat(listOf(json, 'certificateChains').length > 0, 'a chain', 'none');
    },
  },
  {
    clause: '5.5',
    id: 'foreign-client',
    must: 'Another client is as unknown as an id that never existed.',
    async run(tpp) {
      const neighbour = await tpp.neighbour();
      const foreign = await tpp.send(pathOf(neighbour), { at });
      expectRefusal(foreign, 404, 'CLIENT_UNKNOWN');
      expectSameRefusal(foreign, await tpp.send(`/tpp/${randomUUID()}`, { at }));
      expectStatus(await tpp.send(pathOf(neighbour), { method: 'DELETE', at }), 404);
      expectStatus(await neighbour.send(pathOf(neighbour), { at }), 200);
    },
  },
  {
    clause: '4.2',
    id: 'redirect-uris',
    must: 'PUT replaces all redirect URIs; an empty list is 400.',
    async run(tpp) {
      await tpp.withClient({}, async (client) => {
        const path = pathOf(client, '/redirect-uris');
        const redirectUris = ['https://tpp.example/new'];
        const json = await client.ask(path, { method: 'PUT', at, json: { redirectUris } });
        expectThat(
          JSON.stringify(json.redirectUris) === JSON.stringify(redirectUris),
          'the new URIs only',
          'others',
        );
        expectRefusal(
          await client.send(path, { method: 'PUT', at, json: { redirectUris: [] } }),
          400,
          'FORMAT_ERROR',
        );
      });
    },
  },
  {
    clause: '4.2',
    id: 'display-name',
    must: 'The display name is one of the names of the client’s chains; another name is 400.',
    async run(tpp) {
      const path = pathOf(tpp, '/display-name');
      const { displayName, availableDisplayNames } = await tpp.ask(path, { at });
      const isAvailable = Array.isArray(availableDisplayNames) && availableDisplayNames.includes(displayName);
      expectThat(isAvailable, 'an available display name', 'another');
      const answer = await tpp.send(path, {
        method: 'PUT',
        at,
        json: { displayName: `Not ${randomUUID()}` },
      });
      expectStatus(answer, 400);
    },
  },
  {
    clause: '4.2',
    id: 'certificate-form',
    must: 'A text that is no certificate is 400.',
    async run(tpp) {
      const json = { certificate: 'no certificate' };
      expectRefusal(
        await tpp.send(pathOf(tpp, '/certificates'), { method: 'POST', at, json }),
        400,
        'FORMAT_ERROR',
      );
    },
  },
  {
    clause: '4.2',
    id: 'deletion',
    must: 'A deleted client has no valid token and gets none; the deletion can be repeated.',
    async run(tpp) {
      await tpp.withClient({}, async (client) => {
        for (const _ of [1, 2])
          expectStatus(await client.send(pathOf(client), { method: 'DELETE', at }), 204);
        expectStatus(await client.send('/v1/webhook-subscriptions'), 401);
        expectStatus(await client.sendForm('/oauth2/token', { grant_type: 'client_credentials' }), 401);
      });
    },
  },
];
