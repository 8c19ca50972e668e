import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import {
  expectHeader,
  expectRefusal,
  expectStatus,
  expectThat,
  headerOf,
  listOf,
  textOf,
} from '../expectations.ts';
import { registrationOf, type Tpp } from '../tpp.ts';

const SUBSCRIPTION = { callbackUrl: 'https://tpp.example/webhooks', eventTypes: ['Consent.RevokedV1'] };
const SUBSCRIPTIONS = '/v1/webhook-subscriptions';
const JSON_TYPE = /^application\/json\b/;

/** Sends a body that the bank must reject. No subscription exists afterwards. */
const sendRejected = (tpp: Tpp, body: string, headers?: Record<string, string>) =>
  tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`, { method: 'POST', body, ...(headers && { headers }) });

/** Rules of all requests and answers: headers, strict input, order of refusals, form of errors. */
export const requestChecks: readonly Check[] = [
  {
    clause: '4',
    id: 'request-id',
    must: 'The answer returns the X-Request-Id of the request, or a generated one.',
    async run(tpp) {
      const id = `conformance-${randomUUID()}`;
      const sent = await tpp.send(SUBSCRIPTIONS, { headers: { 'x-request-id': id } });
      expectThat(headerOf(sent, 'x-request-id') === id, 'the X-Request-Id that was sent', 'another');
      expectHeader(await tpp.send(SUBSCRIPTIONS), 'x-request-id', /^[\w.-]{1,128}$/);
    },
  },
  {
    clause: '4',
    id: 'request-id-form',
    must: 'A malformed X-Request-Id is 400.',
    async run(tpp) {
      for (const id of ['two words', 'x'.repeat(129)])
        expectRefusal(
          await tpp.send(SUBSCRIPTIONS, { headers: { 'x-request-id': id } }),
          400,
          'FORMAT_ERROR',
        );
    },
  },
  {
    clause: '4',
    id: 'prefix',
    must: 'Every path of the base address answers with /aisp-pisp before it.',
    run: async (tpp) => void (await tpp.ask(`/aisp-pisp${SUBSCRIPTIONS}`, { status: 200 })),
  },
  {
    clause: '4',
    id: 'unknown-route',
    must: 'A path without a route is 404 ROUTE_UNKNOWN at every address.',
    async run(tpp) {
      for (const at of ['baseUrl', 'registrationUrl', 'authUrl', 'userUrl'] as const)
        expectRefusal(await tpp.send(`/${randomUUID()}`, { at, token: null }), 404, 'ROUTE_UNKNOWN');
    },
  },
  {
    clause: '4',
    id: 'unknown-method',
    must: 'A method that a path does not have is 405 with Allow.',
    async run(tpp) {
      const answer = await tpp.send('/accounts', { method: 'PATCH' });
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expectHeader(answer, 'allow', /\bGET\b/);
    },
  },
  {
    clause: '4',
    id: 'options',
    must: 'OPTIONS of a path is 204 with Allow, without certificate or token.',
    async run(tpp) {
      const answer = await tpp.send('/accounts', {
        method: 'OPTIONS',
        token: null,
        over: tpp.deployment.anonymous,
      });
      expectStatus(answer, 204);
      expectHeader(answer, 'allow', /\bGET\b/);
    },
  },
  {
    clause: '4',
    id: 'head',
    must: 'HEAD is answered for each path with GET, without a body.',
    async run(tpp) {
      const answer = await tpp.send(SUBSCRIPTIONS, { method: 'HEAD' });
      expectStatus(answer, 200);
      expectThat(answer.body.length === 0, 'no body', 'a body');
    },
  },
  {
    clause: '4',
    id: 'unknown-member',
    must: 'A member that no clause names is 400 with a detail.',
    async run(tpp) {
      const json = expectRefusal(
        await sendRejected(tpp, JSON.stringify({ ...SUBSCRIPTION, extra: 1 })),
        400,
        'FORMAT_ERROR',
      );
      const details = listOf(json, 'details');
      expectThat(
        details.some(({ path, message }) => `${String(path)} ${String(message)}`.includes('extra')),
        'a detail that names the member',
        'none',
      );
    },
  },
  {
    clause: '4',
    id: 'duplicate-member',
    must: 'A member that occurs twice is 400.',
    async run(tpp) {
      const twice = JSON.stringify(SUBSCRIPTION).replace('{', '{"callbackUrl":"https://tpp.example/other",');
      expectRefusal(await sendRejected(tpp, twice), 400, 'FORMAT_ERROR');
    },
  },
  {
    clause: '4',
    id: 'unknown-parameter',
    must: 'A query parameter that no clause names is 400.',
    run: async (tpp) => void expectRefusal(await tpp.send(`${SUBSCRIPTIONS}?extra=1`), 400, 'FORMAT_ERROR'),
  },
  {
    clause: '4',
    id: 'duplicate-parameter',
    must: 'A query parameter that occurs twice is 400.',
    role: 'PSP_PI',
    run: async (tpp) =>
      void expectRefusal(
        await tpp.send('/payments/domestic-credit-transfer?limit=1&limit=2'),
        400,
        'FORMAT_ERROR',
      ),
  },
  {
    clause: '4',
    id: 'media-type',
    must: 'Another content type than JSON is 415.',
    async run(tpp) {
      const answer = await sendRejected(tpp, JSON.stringify(SUBSCRIPTION), { 'content-type': 'text/plain' });
      expectRefusal(answer, 415, 'FORMAT_ERROR');
    },
  },
  {
    clause: '4',
    id: 'body-size',
    must: 'A body of more than 64 KB is 413.',
    async run(tpp) {
      const answer = await sendRejected(tpp, JSON.stringify({ ...SUBSCRIPTION, extra: 'x'.repeat(70_000) }));
      expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE');
    },
  },
  {
    clause: '4',
    id: 'depth',
    must: 'JSON deeper than 32 levels is 400.',
    run: async (tpp) =>
      void expectRefusal(await sendRejected(tpp, `${'['.repeat(40)}${']'.repeat(40)}`), 400, 'FORMAT_ERROR'),
  },
  {
    clause: '4',
    id: 'no-json',
    must: 'A body that is no JSON is 400.',
    run: async (tpp) => void expectRefusal(await sendRejected(tpp, '{'), 400, 'FORMAT_ERROR'),
  },
  {
    clause: '4',
    id: 'no-store',
    must: 'Caches must not store answers to authenticated callers.',
    run: async (tpp) => expectHeader(await tpp.send(SUBSCRIPTIONS), 'cache-control', /\bno-store\b/),
  },
  {
    clause: '4',
    id: 'authentication-first',
    must: 'A missing token is reported before the form of the call.',
    async run(tpp) {
      const answer = await tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`, {
        method: 'POST',
        body: '{',
        token: null,
      });
      expectRefusal(answer, 401, 'TOKEN_MISSING');
      expectHeader(answer, 'www-authenticate', /^Bearer\b/);
    },
  },
  {
    clause: '4',
    id: 'existence-before-form',
    must: 'An unknown resource is reported before the form of the call.',
    async run(tpp) {
      const answer = await tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`, {
        method: 'PUT',
        body: '{"extra":1}',
      });
      expectRefusal(answer, 404, 'RESOURCE_UNKNOWN');
    },
  },
  {
    clause: '4',
    id: 'language',
    must: 'X-Language chooses the language of error messages, and Content-Language names it.',
    async run(tpp) {
      const texts = new Set<string>();
      for (const language of ['en', 'da', 'sv', 'nb']) {
        const answer = await tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`, {
          headers: { 'x-language': language },
        });
        expectHeader(answer, 'content-language', new RegExp(`^${language}$`));
        texts.add(textOf(expectRefusal(answer, 404, 'RESOURCE_UNKNOWN'), 'message'));
      }
      expectThat(texts.size > 1, 'a translated message', 'the same in every language');
    },
  },
  {
    clause: '7',
    id: 'error-body',
    must: 'An error has errorCode, message and the requestId of its header, as JSON.',
    async run(tpp) {
      const answer = await tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`);
      const json = expectRefusal(answer, 404, 'RESOURCE_UNKNOWN');
      expectHeader(answer, 'content-type', JSON_TYPE);
      textOf(json, 'message');
      expectThat(
        json.requestId === headerOf(answer, 'x-request-id'),
        'the requestId of the header',
        'another',
      );
    },
  },
  {
    clause: '7',
    id: 'problem-json',
    must: 'A caller that prefers application/problem+json gets it.',
    async run(tpp) {
      const answer = await tpp.send(`${SUBSCRIPTIONS}/${randomUUID()}`, {
        headers: { accept: 'application/problem+json' },
      });
      expectHeader(answer, 'content-type', /^application\/problem\+json\b/);
      const json = expectRefusal(answer, 404, 'RESOURCE_UNKNOWN');
      expectThat(
        json.type === '/errors/RESOURCE_UNKNOWN' && json.status === 404,
        'type and status of RFC 9457',
        'others',
      );
    },
  },
  {
    clause: '5.1',
    id: 'certificate-required',
    must: 'A token without a client certificate is 401 CERTIFICATE_MISSING.',
    async run(tpp) {
      const answer = await tpp.send(SUBSCRIPTIONS, { over: tpp.deployment.anonymous });
      expectRefusal(answer, 401, 'CERTIFICATE_MISSING');
    },
  },
  {
    clause: '5.1',
    id: 'certificate-for-registration',
    must: 'A registration without a client certificate is 403, never 401.',
    async run(tpp) {
      const answer = await tpp.send('/tpp', {
        method: 'POST',
        at: 'registrationUrl',
        token: null,
        json: registrationOf(),
        over: tpp.deployment.anonymous,
      });
      expectRefusal(answer, 403, 'CERTIFICATE_MISSING');
    },
  },
  {
    clause: '8',
    id: 'quota-headers',
    must: 'Answers to authenticated callers have RateLimit-Policy and RateLimit.',
    async run(tpp) {
      const answer = await tpp.send(SUBSCRIPTIONS);
      expectHeader(answer, 'ratelimit-policy', /;q=\d+/);
      expectHeader(answer, 'ratelimit', /;r=\d+/);
    },
  },
];
