import { randomUUID } from 'node:crypto';
import { ask } from '@kontoport/testing/answer';
import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import {
  type AccountBody,
  type Reader,
  type Running,
  SIMULATED,
  startAccountInformation,
} from './running.ts';

let running: Running;
let tpp: Reader;
let account: AccountBody;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  account = await tpp.account();
});
afterAll(() => running.close());

type Question = Record<string, unknown>;
const question = (change: Question = {}): Question => ({
  accountId: account.id,
  amount: 1,
  currency: 'DKK',
  ...change,
});

const post = (body: Question, reader = tpp) =>
  ask('POST', `${running.origin}/funds-confirmation`, { headers: reader.headers, body });

const inQuery = (asked: Question): string =>
  `/funds-confirmation?${new URLSearchParams(asked as Record<string, string>).toString()}`;

/** GET with a body, which `fetch` does not send. */
async function getWithBody(path: string, body: unknown) {
  const text = JSON.stringify(body);
  const lines = [
    ...Object.entries(tpp.headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  const answer = await exchange(Number(new URL(running.origin).port), rawGet(path, lines) + text);
  return readRaw(answer);
}

/** Returns the answer to a question, which is the same by POST, by GET with body and by GET with query. */
async function available(asked: Question): Promise<unknown> {
  const [posted, gotten, queried] = [
    await post(asked),
    await getWithBody('/funds-confirmation', asked),
    await tpp.get(inQuery(asked)),
  ];
  expect([posted.status, gotten.status, queried.status]).toEqual([200, 200, 200]);
  expect([gotten.json, queried.body]).toEqual([posted.body, posted.body]);
  expect(Object.keys(posted.body)).toEqual(['fundsAvailable']);
  return posted.body.fundsAvailable;
}

describe('GET /funds-confirmation and POST /funds-confirmation (§2.13, §4.3)', () => {
  it('counts balance and credit limit, without what is reserved, to the minor unit', async () => {
    const set = (balance: number, reserved: number, limit: number | null) =>
      running.pool.query('UPDATE account SET balance = $2, reserved = $3, credit_limit = $4 WHERE id = $1', [
        account.id,
        balance,
        reserved,
        limit,
      ]);
    await set(10_000, 2_500, 5_000);
    expect(await available(question({ amount: 125 }))).toBe(true);
    expect(await available(question({ amount: 125.01 }))).toBe(false);
    await set(10_000, 0, null);
    expect(await available(question({ amount: 100.0 }))).toBe(true);
    expect((await post(question({ amount: 100.01 }))).body).toEqual({ fundsAvailable: false });
    await set(-100, 0, 100);
    expect((await post(question({ amount: 0.01 }))).body).toEqual({ fundsAvailable: false });
    const { rows } = await running.pool.query('SELECT balance FROM account WHERE id = $1', [account.id]);
    expect(rows).toEqual([{ balance: '-100' }]);
  });

  it('treats trailing zeros as the same number, in body and query', async () => {
    const asked = { accountId: account.id, currency: 'DKK' };
    const inBody = `{"accountId":"${account.id}","currency":"DKK","amount":0.01000}`;
    const headers = { ...tpp.headers, 'content-type': 'application/json' };
    const posted = await ask('POST', `${running.origin}/funds-confirmation`, { headers, body: inBody });
    const byQuery = await tpp.get(inQuery({ ...asked, amount: '0.01000' }));
    expect([posted.status, byQuery.status]).toEqual([200, 200]);
    expect(byQuery.body).toEqual(posted.body);
    expect((await tpp.get(inQuery({ ...asked, amount: '0.01001' }))).status).toBe(400);
  });

  it('creates the accounts of a client on its first use', async () => {
    const fresh = await running.addTpp();
    expect((await post(question({ accountId: randomUUID() }), fresh)).status).toBe(404);
    expect(await fresh.accounts()).toHaveLength(SIMULATED.open);
  });

  it('finds no account without a consent of the client', async () => {
    const other = await running.addTpp();
    const { id: foreign } = await other.account();
    const { rows } = await running.pool.query<{ id: string }>(
      `SELECT account.id FROM account JOIN consent_account ON account_id = account.id
       JOIN consent ON consent.id = consent_id WHERE client_id = $1 AND type = 'SAVINGS'`,
      [tpp.clientId],
    );
    for (const accountId of [randomUUID(), foreign, rows[0]!.id]) {
      const asked = question({ accountId });
      for (const answer of [await post(asked), await tpp.get(inQuery(asked))])
        expect({ status: answer.status, code: answer.body.errorCode }).toEqual({
          status: 404,
          code: 'RESOURCE_UNKNOWN',
        });
    }
    const leaving = await running.addTpp();
    const { id: accountId } = await leaving.account();
    await running.pool.query('UPDATE consent SET revoked_at = now() WHERE client_id = $1', [
      leaving.clientId,
    ]);
    expect((await post(question({ accountId }), leaving)).status).toBe(404);
  });

  it('acts under the consent of a user token alone', async () => {
    const { consents } = await running.listConsents(tpp.clientId);
    const foreign = consents.find(({ accountIds }) => !accountIds.includes(account.id))!;
    const own = consents.find(({ accountIds }) => accountIds.includes(account.id))!;
    const statusFor = async (consentId: string) => {
      const headers = await tpp.tpp.headers({ consentId });
      return (await ask('POST', `${running.origin}/funds-confirmation`, { headers, body: question() }))
        .status;
    };
    expect([await statusFor(own.consentId), await statusFor(foreign.consentId)]).toEqual([200, 404]);
  });
});

describe('questions about the funds of an account are limited (§4.3)', () => {
  it('to 20 of a client in an hour, in body or query; another account and another client are served', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-1004';
    const [curious, neighbour] = [
      await running.addTpp({ organizationIdentifier }),
      await running.addTpp({ organizationIdentifier }),
    ];
    const { id: accountId } = await curious.account();
    const { id: otherId } = await curious.account('Budgetkonto');
    const asked = question({ accountId });
    const foreign = question({ accountId: randomUUID() });
    for (let i = 0; i < 10; i++) {
      expect((await post(asked, curious)).status).toBe(200);
      expect((await curious.get(inQuery(asked))).status).toBe(200);
      expect((await post(foreign, curious)).status).toBe(404);
    }
    for (const refused of [await post(asked, curious), await curious.get(inQuery(asked))]) {
      expect(refused).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    expect((await post(question({ accountId: otherId }), curious)).status).toBe(200);
    expect((await post(asked, neighbour)).status).toBe(200);
    await running.pool.query(`UPDATE request_usage SET ends_at = now() WHERE key = $1`, [
      `funds-confirmation ${curious.clientId} ${accountId}`,
    ]);
    expect((await post(asked, curious)).status).toBe(200);
  });
});

describe('bad input to the confirmation of funds (§7)', () => {
  it.each<[string, Question]>([
    ['amount', { amount: 0 }],
    ['amount', { amount: -1 }],
    ['amount', { amount: -0.01 }],
    ['amount', { amount: 1.001 }],
    ['amount', { amount: 1e-7 }],
    ['amount', { amount: 1e21 }],
    ['amount', { amount: 1234567890123456 }],
    ['currency', { currency: 'SEK' }],
    ['amount', { currency: 'XXX' }],
    ['amount', { currency: 'dkk' }],
    ['accountId', { accountId: 'none' }],
    ['accountId', { accountId: '\0' }],
    ['unknown', { unknown: 'x' }],
  ])('names %s in %j, in body and query', async (field, change) => {
    const asked = question(change);
    for (const [answer, place] of [
      [await post(asked), ''],
      [await tpp.get(inQuery(asked)), 'query.'],
    ] as const)
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 400,
        body: expect.objectContaining({
          errorCode: 'FORMAT_ERROR',
          details: [{ path: place + field, message: expect.any(String) }],
        }),
      });
  });

  it('accepts a currency without decimals', async () => {
    const { status, body } = await post(question({ amount: 1.5, currency: 'JPY' }));
    expect({ status, path: body.details }).toEqual({
      status: 400,
      path: [{ path: 'amount', message: expect.stringContaining('JPY') }],
    });
  });

  it('refuses a question in both body and query, in neither, and half of one', async () => {
    const both = await getWithBody(inQuery(question()), question());
    const oneField = await getWithBody('/funds-confirmation?currency=DKK', question());
    for (const { status, json } of [both, oneField])
      expect({ status, code: json.errorCode }).toEqual({ status: 400, code: 'FORMAT_ERROR' });
    const none = await tpp.get('/funds-confirmation');
    expect(none.body).toMatchObject({
      errorCode: 'FORMAT_ERROR',
      details: ['accountId', 'amount', 'currency'].map((field) => ({ path: `query.${field}` })),
    });
    expect((await tpp.get('/funds-confirmation?amount=1&currency=DKK')).status).toBe(400);
    expect((await tpp.get(`${inQuery(question())}&amount=2`)).body).toMatchObject({
      details: [{ path: 'query.amount' }],
    });
    for (const body of [{ amount: '1' }, { amount: null }, { accountId: undefined }])
      expect((await post(question(body))).status).toBe(400);
    expect((await ask('POST', running.origin + inQuery(question()), { headers: tpp.headers })).status).toBe(
      400,
    );
  });
});
