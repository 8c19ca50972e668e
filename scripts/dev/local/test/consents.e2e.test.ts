import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { mintQwac, readIssuer } from '@kontoport/issuing';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const REDIRECT = 'https://tpp.example/callback';
const VERIFIER = 'v'.repeat(43);
const ROLES = ['PSP_AI', 'PSP_PI'] as const;
const DAY_MS = 86_400_000;

const { start } = useStack('file');

let stack: StackFile;
/** The provider's connection, and one of a browser without certificate. */
let tpp: Agent;
let browser: Agent;
let client: { clientId: string; clientSecret: string };
let receiver: Server;
const deliveries: { body: string; signature: string }[] = [];

beforeAll(async () => {
  stack = await start('--no-tour').ready();
  const ca = readFileSync(stack.serverCa, 'utf8');
  const request = {
    name: 'Consents',
    roles: ROLES,
    organizationIdentifier: 'PSDDK-DFSA-4712',
    days: 1,
  };
  const qwac = await mintQwac({ request, issuer: await readIssuer(stack.issuingCa), at: new Date() });
  tpp = new Agent({ connect: { ca, cert: qwac.chainPem, key: qwac.keyPem } });
  browser = new Agent({ connect: { ca } });
  const registration = { name: 'Consents', roles: ROLES, redirectUris: [REDIRECT] };
  const registered = await send(`${stack.registrationUrl}/tpp`, { json: registration });
  client = registered.body as typeof client;
  receiver = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      deliveries.push({ body, signature: String(incoming.headers['x-hmac-signature']) });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
}, LIMIT_MS);
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await Promise.all([tpp.close(), browser.close()]);
});

/** What the provider sends, and its answer. */
async function send(
  url: string,
  { json, form, token }: { json?: unknown; form?: Record<string, string>; token?: string } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const basic = form && Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const authorization = basic ? `Basic ${basic}` : `Bearer ${token ?? ''}`;
  const response = await fetchBy(url, {
    dispatcher: tpp,
    method: json || form ? 'POST' : 'GET',
    headers: {
      ...(basic || token ? { authorization } : {}),
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(json ? { body: JSON.stringify(json) } : {}),
    ...(form ? { body: new URLSearchParams(form) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const getToken = (form: Record<string, string>) => send(`${stack.authUrl}/oauth2/token`, { form });

/** The first tokens of a simulated user, and the id of the consent under them. */
async function askUser(): Promise<{ access: string; refresh: string; consentId: string }> {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    prompt: 'none',
    login_hint: 'private-dk',
  });
  const url = `${stack.userUrl}/oauth2/authorize?${parameters.toString()}`;
  const { headers } = await fetchBy(url, { dispatcher: browser, redirect: 'manual' });
  const code = new URL(headers.get('location')!).searchParams.get('code')!;
  const { status, body } = await getToken({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  });
  expect(status).toBe(200);
  const [{ consentId }] = body.authorization_details as [{ consentId: string }];
  return { access: String(body.access_token), refresh: String(body.refresh_token), consentId };
}

/** The user's browser on our pages: it keeps cookies, and sends the form of a page with what is chosen in it. */
function person(): { open(path: string): Promise<string>; submit(page: string): Promise<string> } {
  const cookies = new Map<string, string>();
  const visit = async (path: string, body?: URLSearchParams): Promise<string> => {
    const response = await fetchBy(stack.userUrl + path, {
      dispatcher: browser,
      redirect: 'manual',
      method: body ? 'POST' : 'GET',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), 'accept-language': 'en' },
      ...(body && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location !== null) return visit(location);
    expect(response.status).toBe(200);
    return response.text();
  };
  return {
    open: visit,
    submit(page) {
      const [, action, content] = /<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page)!;
      const inputs = [
        ...content!.matchAll(
          /<input\s+type="(hidden|radio)"\s+name="([^"]+)"\s+value="([^"]+)"\s*(checked)?/g,
        ),
      ];
      const sent = inputs.filter(([, type, , , checked]) => type === 'hidden' || checked !== undefined);
      return visit(
        action!,
        new URLSearchParams(Object.fromEntries(sent.map(([, , name, value]) => [name!, value!]))),
      );
    },
  };
}

interface Told {
  eventType: string;
  eventTime: string;
  data: Record<string, unknown>;
}

/** A token of the provider's own, and the key of a new subscription to these events at our receiver. */
async function subscribe(eventType: string): Promise<{ token: string; key: string }> {
  const { body: own } = await getToken({ grant_type: 'client_credentials' });
  const token = String(own.access_token);
  const { port } = receiver.address() as AddressInfo;
  const { body } = await send(`${stack.baseUrl}/v1/webhook-subscriptions/${randomUUID()}`, {
    json: { callbackUrl: `http://127.0.0.1:${port}/`, eventTypes: [eventType] },
    token,
  });
  return { token, key: String(body.subscriptionKey) };
}

/** What our receiver is told, once it is there; its signature holds. */
async function delivered(key: string, isWanted: (event: Told) => boolean): Promise<Told> {
  const { body, signature } = await until(
    () => deliveries.find((delivery) => isWanted(JSON.parse(delivery.body) as Told)),
    { what: 'the webhook' },
  );
  expect(signature).toBe(createHmac('sha256', key).update(body).digest('hex'));
  return JSON.parse(body) as Told;
}

describe('a consent that its user takes back on the page (§5.9, §6)', () => {
  it(
    'ends its token at once and its refresh token, leaves others alone, and is told in a signed webhook',
    async () => {
      const { key } = await subscribe('Consent.RevokedV1');
      const [taken, kept] = [await askUser(), await askUser()];
      const accounts = async (access: string) => {
        const { status, body } = await send(`${stack.baseUrl}/accounts`, { token: access });
        return { status, ids: ((body.accounts ?? []) as { id: string }[]).map(({ id }) => id) };
      };
      const { ids } = await accounts(taken.access);
      expect(ids).toHaveLength(3);

      const { open, submit } = person();
      await submit(await open(`/consents?client_id=${client.clientId}&login_hint=private-dk`));
      expect(await submit(await open(`/consents/${taken.consentId}/revoke`))).toContain('Your consents');

      expect(await accounts(taken.access)).toEqual({ status: 200, ids: [] });
      const transactions = `${stack.baseUrl}/v2/accounts/${ids[0]}/transactions`;
      expect((await send(transactions, { token: taken.access })).status).toBe(404);
      const refreshed = await getToken({ grant_type: 'refresh_token', refresh_token: taken.refresh });
      expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
      // From then on the token itself is refused.
      expect((await accounts(taken.access)).status).toBe(401);
      expect(await accounts(kept.access)).toEqual({ status: 200, ids });
      expect((await getToken({ grant_type: 'refresh_token', refresh_token: kept.refresh })).status).toBe(200);

      const { data } = await delivered(key, ({ eventType }) => eventType === 'Consent.RevokedV1');
      expect(data).toMatchObject({
        consentId: taken.consentId,
        revokedAt: expect.any(String) as string,
      });
      expect((data.accountIds as string[]).toSorted()).toEqual(ids.toSorted());
    },
    LIMIT_MS,
  );
});

describe('the clock of a client, moved on (§Sandbox, §6)', () => {
  it(
    'posts what is due by then, and nothing else, and each is told in a signed webhook',
    async () => {
      const { token, key } = await subscribe('Posting.CreatedV1');
      const { body: listed } = await send(`${stack.baseUrl}/sandbox/accounts`, { token });
      const account = (listed.accounts as { id: string; bban: string; currency: string }[]).find(
        ({ currency }) => currency === 'DKK',
      )!;
      const ids = { settled: randomUUID(), later: randomUUID() };
      for (const [transactionId, after] of [
        [ids.settled, 'P20D'],
        [ids.later, 'P40D'],
      ] as const) {
        const held = await send(`${stack.baseUrl}/sandbox/accounts/${account.id}/authorizations`, {
          json: {
            transactionId,
            amount: -249.95,
            currency: 'DKK',
            title: 'Held',
            type: 'card',
            ends: { outcome: 'settle', after },
          },
          token,
        });
        expect(held.status).toBe(201);
      }
      const advance = async (): Promise<void> => {
        const { status } = await send(`${stack.baseUrl}/sandbox/clock`, { json: { advance: 'P30D' }, token });
        expect(status).toBe(200);
      };
      /** How far what is told of a posting lies ahead of when it was told. */
      const daysAhead = async (id: string): Promise<number> => {
        const { eventTime, data } = await delivered(key, (event) => event.data.ledgerPostingId === id);
        expect(data.accountNumber).toBe(account.bban);
        return Math.round((Date.parse(String(data.postingTime)) - Date.parse(eventTime)) / DAY_MS);
      };
      await advance();
      expect(await daysAhead(ids.settled)).toBe(20);
      const page = await send(`${stack.baseUrl}/v2/accounts/${account.id}/transactions`, { token });
      const pending = (page.body.pending as { id: string }[]).map(({ id }) => id);
      expect(pending).toContain(ids.later);
      expect(pending).not.toContain(ids.settled);
      await advance();
      expect(await daysAhead(ids.later)).toBe(40);
    },
    LIMIT_MS,
  );
});
