import { ConnectionError, createClient, type KontoportClient, KontoportError } from '../src/index.ts';
import { json, type Received, startBank } from './bank.ts';

const ACCOUNTS = { accounts: [] };
const unavailable = json(503, { errorCode: 'UNAVAILABLE' }, { 'retry-after': '0' });
const limited = json(429, { errorCode: 'RATE_LIMITED' }, { 'retry-after': '0' });
const PAYMENT = {
  receiverAccountBban: '00400440116243',
  receiverName: 'Havnens Boligforening',
  amount: '1.00',
  currency: 'DKK',
  senderAccountId: '2f1d0f0a-6c1e-4c1b-9a52-0d5c3f6f7b10',
  redirectUrl: 'https://tpp.example/callback',
};
const INITIATED = { paymentId: 'p', status: 'APPROVED', authUrl: 'https://bank.example' };

let bank: Awaited<ReturnType<typeof startBank>>;
let client: KontoportClient;

beforeAll(async () => {
  bank = await startBank();
  client = createClient(bank.options);
});
beforeEach(() => bank.reset());
afterAll(async () => {
  client.close();
  await bank.close();
});

/** The failure of a call. */
const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const distinct = (key: keyof Received): number => new Set(bank.calls().map((call) => call[key])).size;

describe('a temporary refusal', () => {
  it('is repeated with the same X-Request-Id', async () => {
    bank.answer(unavailable, limited, json(200, ACCOUNTS));
    expect(await client.get('/accounts')).toEqual(ACCOUNTS);
    expect(bank.calls()).toHaveLength(3);
    expect(distinct('requestId')).toBe(1);
  });

  it('is an error after the last attempt', async () => {
    bank.answer(...Array(5).fill(unavailable));
    const impatient = createClient({ ...bank.options, maxRetries: 1 });
    expect(await failureOf(impatient.get('/accounts'))).toMatchObject({
      status: 503,
      errorCode: 'UNAVAILABLE',
    });
    expect(bank.calls()).toHaveLength(2);
    impatient.close();
  });

  it('is an error at once if the bank asks for a long wait', async () => {
    bank.answer(json(429, { errorCode: 'RATE_LIMITED' }, { 'retry-after': '61' }));
    expect(await failureOf(client.get('/accounts'))).toMatchObject({ status: 429, retryAfterMs: 61_000 });
    expect(bank.calls()).toHaveLength(1);
  });

  it('of a payment repeats the same call', async () => {
    bank.answer(unavailable, json(201, INITIATED));
    expect(await client.post('/payments/domestic-credit-transfer', { body: PAYMENT })).toEqual(INITIATED);
    expect(bank.calls()).toHaveLength(2);
    expect(distinct('requestId')).toBe(1);
    expect(distinct('body')).toBe(1);
  });

  it('of a call that is not idempotent is an error', async () => {
    bank.answer(unavailable);
    const body = { draftId: 'c56a4180-65aa-42ec-a945-5fd21dec0538', name: 'Rent' };
    const call = client.post('/payments/drafts/domestic-credit-transfer', { body });
    expect(await failureOf(call)).toBeInstanceOf(KontoportError);
    expect(bank.calls()).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  it('is repeated for a GET, but not for a DELETE', async () => {
    bank.answer(
      (response) => response.destroy(),
      json(200, ACCOUNTS),
      (response) => response.destroy(),
    );
    expect(await client.get('/accounts')).toEqual(ACCOUNTS);
    const removal = client.delete('/v1/webhook-subscriptions/{id}', { path: { id: 'a' } });
    expect(await failureOf(removal)).toBeInstanceOf(ConnectionError);
    expect(bank.calls()).toHaveLength(3);
  });

  it('names a server certificate that is not trusted', async () => {
    const { ca: _ca, ...without } = bank.options;
    const distrustful = createClient({ ...without, maxRetries: 0 });
    const failure = (await failureOf(distrustful.get('/errors'))) as ConnectionError;
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure.cause).toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(bank.calls()).toEqual([]);
  });
});

describe('a silent bank', () => {
  it('ends a call after its timeout', async () => {
    const hasty = createClient({ ...bank.options, timeoutMs: 50, maxRetries: 0 });
    bank.answer(() => {});
    expect(await failureOf(hasty.get('/errors'))).toMatchObject({
      name: 'ConnectionError',
      cause: { name: 'TimeoutError' },
    });
    hasty.close();
  });

  it('ends a call with the reason of its signal', async () => {
    const [stop, reason] = [new AbortController(), new Error('enough')];
    bank.answer(() => stop.abort(reason));
    expect(await failureOf(client.get('/errors', { signal: stop.signal }))).toBe(reason);
  });

  it('ends the wait for a token with the reason of the signal', async () => {
    const [stop, reason] = [new AbortController(), new Error('enough')];
    const own = createClient({ ...bank.options, timeoutMs: 1_000, maxRetries: 0 });
    bank.answerToken(() => stop.abort(reason));
    expect(await failureOf(own.get('/accounts', { signal: stop.signal }))).toBe(reason);
    own.close();
  });

  it('ends the wait before a retry with the reason of the signal', async () => {
    const [stop, reason] = [new AbortController(), new Error('enough')];
    bank.answer((response, request) => {
      json(503, {}, { 'retry-after': '60' })(response, request);
      response.on('close', () => stop.abort(reason));
    });
    expect(await failureOf(client.get('/errors', { signal: stop.signal }))).toBe(reason);
  });
});

describe('an answer', () => {
  it('is rejected beyond 32 MB', async () => {
    bank.answer((response) => response.writeHead(200).end(Buffer.alloc(32_000_001)));
    const greedy = createClient({ ...bank.options, maxRetries: 0 });
    expect(await failureOf(greedy.get('/errors'))).toMatchObject({ name: 'ConnectionError' });
    greedy.close();
  });

  it('of a proxy has a status and no code', async () => {
    bank.answer((response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    );
    expect(await failureOf(client.get('/accounts'))).toMatchObject({
      status: 502,
      errorCode: undefined,
      details: [],
    });
  });

  it('that refuses names its remedy', async () => {
    const details = [{ path: 'query.limit', message: 'Too large.' }];
    bank.answer(json(400, { errorCode: 'FORMAT_ERROR', message: 'Malformed.', requestId: 'r', details }));
    expect(await failureOf(client.get('/accounts'))).toMatchObject({
      status: 400,
      errorCode: 'FORMAT_ERROR',
      message: 'Malformed.',
      requestId: 'r',
      details,
      helpUrl: `${bank.options.baseUrl}/errors/FORMAT_ERROR`,
    });
  });
});

describe('an access token', () => {
  it.each([401, 403])('that is rejected with %d is renewed once', async (status) => {
    const own = createClient(bank.options);
    bank.answer(json(status, { errorCode: 'TOKEN_EXPIRED' }), json(200, ACCOUNTS));
    expect(await own.get('/accounts')).toEqual(ACCOUNTS);
    expect(bank.calls().map(({ authorization }) => authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    bank.answer(json(status, { errorCode: 'TOKEN_INVALID' }), json(status, { errorCode: 'TOKEN_INVALID' }));
    expect(await failureOf(own.get('/accounts'))).toMatchObject({ errorCode: 'TOKEN_INVALID' });
    expect(bank.tokenCalls()).toHaveLength(3);
    own.close();
  });

  it('of a user is sent as given and never renewed', async () => {
    bank.answer(json(401, { errorCode: 'TOKEN_EXPIRED' }));
    expect(await failureOf(client.get('/accounts', { token: 'of-a-user' }))).toMatchObject({ status: 401 });
    expect(bank.calls()).toMatchObject([{ authorization: 'Bearer of-a-user' }]);
    expect(bank.tokenCalls()).toEqual([]);
  });

  it('is requested with the secret, or by the certificate alone', async () => {
    const { clientSecret: _secret, ...without } = bank.options;
    for (const options of [{ ...bank.options, scope: 'PSP_AI' as const }, without]) {
      const own = createClient(options);
      bank.answer(json(200, ACCOUNTS));
      await own.get('/accounts');
      own.close();
    }
    expect(bank.tokenCalls()).toMatchObject([
      {
        authorization: `Basic ${Buffer.from('a-client:a-secret').toString('base64')}`,
        body: 'grant_type=client_credentials&scope=PSP_AI',
      },
      { authorization: undefined, body: 'grant_type=client_credentials&client_id=a-client' },
    ]);
  });
});

describe('a call', () => {
  it('writes its path, query and headers', async () => {
    bank.answer(json(200, { subscriptions: [] }));
    await client.get('/v1/webhook-subscriptions/{id}/deliveries', {
      path: { id: 'a/b' },
      query: { status: 'pending', limit: 3, cursor: undefined },
      requestId: 'an-id',
      language: 'da',
    });
    const url = '/v1/webhook-subscriptions/a%2Fb/deliveries?status=pending&limit=3';
    expect(bank.calls()).toMatchObject([{ url, requestId: 'an-id', language: 'da' }]);
  });

  it.each(['', '.', '..'])('rejects "%s" as an id, which would lead to another path', async (id) => {
    const call = client.get('/v1/webhook-subscriptions/{id}', { path: { id } });
    expect(await failureOf(call)).toBeInstanceOf(TypeError);
    expect(bank.calls()).toEqual([]);
  });
});

describe('the pages of a list', () => {
  const LIST = '/payments/domestic-credit-transfer';

  it('are read to the end, empty ones included, with the same query', async () => {
    bank.answer(
      json(200, { payments: [1], nextCursor: 'a' }),
      json(200, { payments: [], nextCursor: 'b' }),
      json(200, { payments: [2] }),
    );
    const rows: unknown[] = [];
    for await (const { payments } of client.paginate(LIST, { query: { limit: 1 } })) rows.push(...payments);
    expect(rows).toEqual([1, 2]);
    expect(bank.calls().map(({ url }) => url)).toEqual([
      `${LIST}?limit=1`,
      `${LIST}?limit=1&cursor=a`,
      `${LIST}?limit=1&cursor=b`,
    ]);
  });

  it.each([
    [
      'a page fails',
      json(400, { errorCode: 'CURSOR_INVALID', message: 'No such cursor.' }),
      'No such cursor.',
    ],
    ['a cursor repeats', json(200, { payments: [], nextCursor: 'a' }), 'the bank repeats a cursor'],
  ])('end with an error, never silently, if %s', async (_what, second, message) => {
    bank.answer(json(200, { payments: [], nextCursor: 'a' }), second);
    const pages = client.paginate(LIST);
    await pages.next();
    const rest = pages.next().then(async () => pages.next());
    await expect(rest).rejects.toThrow(message);
  });
});
