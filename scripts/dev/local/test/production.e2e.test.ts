import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { until } from '@kontoport/embedded/wait';
import { createProducer, openKafka, readEvent, startConsumers, topics } from '@kontoport/events';
import { mintQwac, readIssuer } from '@kontoport/issuing';
import { createLogger } from '@kontoport/lifecycle';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const CALLBACK = 'https://tpp.example/callback';
const VERIFIER = 'v'.repeat(43);
const ROLES = ['PSP_AI', 'PSP_PI'] as const;
/** Freja Holm of scripts/dev/bank. */
const USER = { user: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a1001', code: '1841' };

const { start } = useStack('file');

let stack: StackFile;
let tpp: Agent;
let anybody: Agent;
let client: { clientId: string; clientSecret: string };
let token: string;
let events: Awaited<ReturnType<typeof readTransfers>>;

beforeAll(async () => {
  const started = start('--production');
  stack = await started.ready();
  events = await readTransfers(/Kafka +embedded, port (\d+)/.exec(started.output())![1]!);
  const ca = readFileSync(stack.serverCa, 'utf8');
  const request = { name: 'Fjord', roles: ROLES, organizationIdentifier: 'PSDDK-DFSA-4713', days: 1 };
  const qwac = await mintQwac({ request, issuer: await readIssuer(stack.issuingCa), at: new Date() });
  tpp = new Agent({ connect: { ca, cert: qwac.chainPem, key: qwac.keyPem } });
  anybody = new Agent({ connect: { ca } });
  const registration = { name: 'Fjord', roles: ROLES, redirectUris: [CALLBACK] };
  const registered = await send('POST', `${stack.registrationUrl}/tpp`, { json: registration });
  client = registered.body as typeof client;
}, LIMIT_MS);
afterAll(async () => {
  await events.close();
  await Promise.all([tpp.close(), anybody.close()]);
});

/** Of an event of a payment. */
interface Told {
  paymentId: string;
  status: string;
}

/** What is told of transfers, from the beginning. */
async function readTransfers(port: string) {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers: [`127.0.0.1:${port}`], clientId: 'test', logger });
  const deadLetters = createProducer({ kafka });
  const heard: Told[] = [];
  const consumer = startConsumers({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [
      {
        topic: topics.transfers.name,
        parse: (record) => readEvent(topics.transfers)(record).message as Told,
        handleBatch: async (batch) => void heard.push(...batch.map(({ value }) => value as Told)),
      },
    ],
    deadLetters,
    logger,
    sessionTimeoutMs: 3_000,
  });
  return {
    statusesOf: (paymentId: string) =>
      heard.filter((told) => told.paymentId === paymentId).map(({ status }) => status),
    async close() {
      await consumer.close();
      await deadLetters.close();
    },
  };
}

/** What the provider sends, and its answer. */
async function send(
  method: string,
  url: string,
  { json, form }: { json?: unknown; form?: Record<string, string> } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const basic = form && Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const response = await fetchBy(url, {
    dispatcher: tpp,
    method,
    headers: {
      authorization: basic ? `Basic ${basic}` : `Bearer ${token ?? ''}`,
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(json ? { body: JSON.stringify(json) } : {}),
    ...(form ? { body: new URLSearchParams(form) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** Where a browser is, and what it shows; `text` is empty where it has left for the TPP. */
interface Place {
  url: string;
  text: string;
}

/** A browser that keeps cookies and follows where it is led, as far as the TPP's website. */
function newBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visit = async (url: string, form?: Record<string, string>): Promise<Place> => {
    if (url.startsWith(CALLBACK)) return { url, text: '' };
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const response = await fetchBy(url, {
      dispatcher: anybody,
      redirect: 'manual',
      method: form ? 'POST' : 'GET',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; '), 'accept-language': 'en' },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const text = await response.text();
    const onwards = /^0;url=(.*)$/.exec(response.headers.get('refresh') ?? '')?.[1];
    const location = response.headers.get('location') ?? onwards;
    if (location) return visit(new URL(location, url).href);
    expect({ status: response.status, text: response.ok ? '' : text }).toEqual({ status: 200, text: '' });
    return { url, text };
  };
  /** Sends the form whose action ends so, with its hidden fields. */
  const submit = (
    { url, text }: Place,
    action: string,
    more: Record<string, string> = {},
  ): Promise<Place> => {
    const forms = [...text.matchAll(/<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)];
    const [, to = '', content = ''] = forms.find(([, path]) => path!.endsWith(action))!;
    const hidden = [...content.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]+)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name!, value!]));
    return visit(new URL(to, url).href, { ...fields, ...more });
  };
  const logIn = (place: Place): Promise<Place> => submit(place, '/login', { ...USER, do: 'log-in' });
  return { visit, submit, logIn };
}
type TestBrowser = ReturnType<typeof newBrowser>;

/** A user who consents by the code flow, logged in at the bank. @returns the ids of the accounts that are opened */
async function consent(): Promise<string[]> {
  const browser = newBrowser();
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const atBank = await browser.visit(`${stack.userUrl}/oauth2/authorize?${parameters.toString()}`);
  expect(atBank.url.startsWith(`${stack.bank!.pages}/login?`)).toBe(true);
  const asked = await browser.logIn(atBank);
  expect(asked.text).toContain('You are signed in as Freja Holm.');
  const boxes = [...asked.text.matchAll(/name="(account\.[^"]+)"/g)].map(([, name]) => name!);
  const chosen = Object.fromEntries(boxes.map((name) => [name, 'on']));
  const left = new URL((await browser.submit(asked, '/approve', chosen)).url);
  const { body } = await send('POST', `${stack.authUrl}/oauth2/token`, {
    form: {
      grant_type: 'authorization_code',
      code: left.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    },
  });
  token = String(body.access_token);
  const { body: read } = await send('GET', `${stack.baseUrl}/accounts`);
  return (read.accounts as { id: string }[]).map(({ id }) => id);
}

/** A basket of one draft, which waits for its user. */
async function basketOf(senderAccountId: string, amount: string) {
  const drafts = `${stack.baseUrl}/payments/drafts/domestic-credit-transfer`;
  const [draftId, requestId] = [randomUUID(), randomUUID()];
  await send('POST', drafts, { json: { draftId, name: 'Rent' } });
  const fields = {
    receiverAccountBban: '00400440116251',
    receiverName: 'Havnens Boligforening',
    amount,
    currency: 'DKK',
    senderAccountId,
  };
  const { body: draft } = await send('PATCH', `${drafts}/${draftId}`, { json: fields });
  expect(draft).toMatchObject({ isValid: true, validationErrors: [] });
  const redirectUrl = `${CALLBACK}?of=${requestId}`;
  const approve = `${stack.baseUrl}/payments/drafts/approve`;
  const { body } = await send('POST', approve, { json: { requestId, draftIds: [draftId], redirectUrl } });
  expect(body).toMatchObject({ status: 'AWAITING_APPROVAL' });
  const read = async () => (await send('GET', `${approve}/${requestId}/status`)).body;
  const [entry] = (await read()).drafts as [{ paymentId: string }];
  return {
    redirectUrl,
    authUrl: String(body.authUrl),
    paymentId: entry.paymentId,
    polled: async () => (await send('GET', `${stack.baseUrl}/polling/${entry.paymentId}/status`)).body.status,
    /** Waits until the TPP reads this of basket and draft. */
    becomes: (basket: string, draftStatus: string) =>
      until(
        async () => {
          const { status, drafts: entries } = await read();
          return status === basket && (entries as { status: string }[])[0]!.status === draftStatus;
        },
        { what: `the basket to be ${basket} and its draft ${draftStatus}` },
      ),
    isTold: (...statuses: string[]) =>
      until(() => statuses.every((status) => events.statusesOf(entry.paymentId).includes(status)), {
        what: `events of ${statuses.join(', ')}`,
      }),
  };
}
type Basket = Awaited<ReturnType<typeof basketOf>>;

/** The page of an approval, for the user whom the bank has logged in. */
async function openPage(browser: TestBrowser, { authUrl }: Basket): Promise<Place> {
  return browser.logIn(await browser.visit(authUrl));
}

/** The waiting page, once it leads to the bank's app. */
function untilAsked(browser: TestBrowser, waiting: Place): Promise<Place> {
  return until(
    async () => {
      const place = await browser.visit(waiting.url);
      return place.text.includes(`${stack.bank!.pages}/app/`) && place;
    },
    { what: 'the bank to be asked' },
  );
}

/** Answers in the bank's app, to which the waiting page leads. */
async function answerAtBank(waiting: Place, answer: 'APPROVED' | 'DECLINED'): Promise<void> {
  const [, approvalUrl = ''] = /href="(http:\/\/localhost:\d+\/app\/[^"]+)"/.exec(waiting.text)!;
  const app = newBrowser();
  const login = await app.visit(approvalUrl);
  const approval = await app.submit(login, '/app', USER);
  expect(approval.text).toContain('Havnens Boligforening');
  await app.submit(approval, new URL(approvalUrl).pathname, { answer });
}

describe('production on a laptop: consent, approval and payment before the example bank (§3.2, §4.4, §5.9)', () => {
  let opened: string[];
  let accountId: string;
  beforeAll(async () => {
    opened = await consent();
    [accountId] = opened as [string];
  }, LIMIT_MS);

  it('opens the accounts that the user has chosen, and no savings', () => {
    expect(opened).toEqual(['5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a2001']);
  });

  /** Until the page, which looks by itself, leads back to the TPP. */
  const comeBack = (browser: TestBrowser, waiting: Place): Promise<string> =>
    until(
      async () => {
        const { url } = await browser.visit(waiting.url);
        return url.startsWith(CALLBACK) && url;
      },
      { what: 'the way back to the provider' },
    );

  it(
    'books what the user approves in the bank’s app, and leads back to exactly the redirectUrl',
    async () => {
      const basket = await basketOf(accountId, '125.50');
      const browser = newBrowser();
      const page = await openPage(browser, basket);
      for (const words of ['Fjord', 'Havnens Boligforening', '125.50']) expect(page.text).toContain(words);
      const waiting = await browser.submit(page, '/approve');
      await answerAtBank(await untilAsked(browser, waiting), 'APPROVED');
      expect(await comeBack(browser, waiting)).toBe(basket.redirectUrl);
      await basket.becomes('APPROVED', 'COMPLETED');
      expect(await basket.polled()).toBe('APPROVED');
      await basket.isTold('AWAITING_APPROVAL', 'PENDING', 'COMPLETED');
      const path = `${stack.baseUrl}/accounts/${accountId}/transactions/${basket.paymentId}`;
      expect((await send('GET', path)).body).toMatchObject({ status: 'financial' });
    },
    LIMIT_MS,
  );

  it(
    'rejects for good what the user declines in the bank’s app',
    async () => {
      const basket = await basketOf(accountId, '10.00');
      const browser = newBrowser();
      const waiting = await browser.submit(await openPage(browser, basket), '/approve');
      await answerAtBank(await untilAsked(browser, waiting), 'DECLINED');
      expect(await comeBack(browser, waiting)).toBe(`${basket.redirectUrl}&error=access_denied`);
      await basket.becomes('REJECTED', 'REJECTED');
      expect(await basket.polled()).toBe('REJECTED');
      await basket.isTold('REJECTED');
    },
    LIMIT_MS,
  );

  it(
    'learns the outcome of a page that is closed, and of a bank that was away meanwhile',
    async () => {
      const basket = await basketOf(accountId, '20.00');
      const browser = newBrowser();
      const page = await openPage(browser, basket);
      process.kill(stack.bank!.pid, 'SIGSTOP');
      let waiting: Place;
      try {
        waiting = await browser.submit(page, '/approve');
        expect(await basket.polled()).toBe('AWAITING_APPROVAL');
      } finally {
        process.kill(stack.bank!.pid, 'SIGCONT');
      }
      const asked = await untilAsked(browser, waiting);
      await answerAtBank(asked, 'APPROVED');
      await basket.becomes('APPROVED', 'COMPLETED');
      expect(await basket.polled()).toBe('APPROVED');
      await basket.isTold('COMPLETED');
    },
    LIMIT_MS,
  );
});
