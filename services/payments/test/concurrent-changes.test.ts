import { randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@kontoport/testing/postgres';
import { adapters } from '../src/adapters.ts';
import { type Caller, DRAFTS, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';

let database: TestDatabase;
let service: RunningPayments;
let tpp: Caller;
let account: string;
beforeAll(async () => {
  database = await testDatabase('payments');
  const { paymentStore } = adapters.production;
  service = await startPayments({
    settlementDelay: '1h',
    adapters: { ...adapters, sandbox: { ...adapters.sandbox, paymentStore } },
    env: { DATABASE_URL: database.url },
  });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

describe('callers that change one record at once take turns, over PostgreSQL (§3.2)', () => {
  it('answers 150 changes of one draft, and loses none of them', async () => {
    const path = `${DRAFTS}/${await tpp.validDraft(account)}`;
    const amounts = Array.from({ length: 150 }, (_none, i) => `${i + 1}.00`);
    const answers = await Promise.all(amounts.map((amount) => tpp.call('PATCH', path, { amount })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.map(({ body }) => body.amount)).toEqual(amounts);
    expect(amounts).toContain((await tpp.call('GET', path)).body.amount);
  });

  it('approves a draft in one of 40 baskets, and answers every other with the reason', async () => {
    const draftId = await tpp.validDraft(account);
    const answers = await Promise.all(Array.from({ length: 40 }, () => tpp.approve([draftId])));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(39);
    const details = [{ path: 'draftIds.0', message: 'is PENDING, not CREATED' }];
    for (const answer of refused) expect(answer).toMatchObject({ status: 400, body: { details } });
  });

  it('deletes a draft once, between its changes', async () => {
    const path = `${DRAFTS}/${await tpp.validDraft(account)}`;
    const changes = Array.from({ length: 30 }, (_none, i) => tpp.call('PATCH', path, { amount: `${i + 1}` }));
    const deletions = Array.from({ length: 10 }, () => tpp.call('DELETE', path));
    const [changed, deleted] = await Promise.all([Promise.all(changes), Promise.all(deletions)]);
    expect(changed.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    expect(deleted.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204,
      ...Array<number>(9).fill(404),
    ]);
  });

  it('makes one payment of 60 calls with one X-Request-Id', async () => {
    const body = {
      ...TRANSFER,
      senderAccountId: account,
      redirectUrl: 'https://tpp.test/callback',
    };
    const key = { 'x-request-id': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => tpp.call('POST', '/payments/domestic-credit-transfer', body, key)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.body.paymentId)).size).toBe(1);
  });
});
