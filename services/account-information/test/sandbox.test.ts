import { randomUUID } from 'node:crypto';
import { TRIGGERS } from '@kontoport/sandbox-triggers';
import { ask } from '@kontoport/testing/answer';
import { readMetrics } from '@kontoport/testing/metrics';
import { SIMULATED } from './running.ts';
import { type Driver, startDriver } from './sandbox-driver.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

describe('GET /sandbox/accounts (§Sandbox, §5.4)', () => {
  it('lists the accounts for a token of PSP_PI alone, without amounts, also on first use', async () => {
    const fresh = await driver.running.addTpp();
    const headers = await fresh.tpp.headers({ scope: 'PSP_PI' });
    const { status, body } = await ask('GET', `${driver.running.origin}/sandbox/accounts`, { headers });
    expect(status).toBe(200);
    const listed = body.accounts as Record<string, unknown>[];
    const accounts = await fresh.accounts();
    const opened = new Set(accounts.map(({ id }) => id));
    expect(listed.filter(({ id }) => opened.has(id as string))).toEqual(
      accounts.map(({ id, name, bban, currency, supportsPayments }) => ({
        id,
        name,
        bban,
        currency,
        supportsPayments,
      })),
    );
    expect(listed).toHaveLength(SIMULATED.listed);
    expect((await fresh.get('/aisp-pisp/sandbox/accounts')).body).toEqual(body);
  });

  it('lists the accounts of the client’s organization, whatever the consents', async () => {
    const [owner, guest] = [await driver.running.addTpp(), await driver.running.addTpp()];
    const own = await driver.accountsOf(guest);
    await driver.running.pool.query(
      `WITH granted AS (INSERT INTO consent (id, client_id, user_id, roles, granted_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), '{PSP_AI}', now()) RETURNING id)
       INSERT INTO consent_account SELECT id, $2 FROM granted`,
      [guest.clientId, (await driver.accountsOf(owner))[0]!.id],
    );
    expect(await driver.accountsOf(guest)).toEqual(own);
    await driver.running.pool.query('UPDATE consent SET revoked_at = now() WHERE client_id = $1', [
      guest.clientId,
    ]);
    expect(await driver.accountsOf(guest)).toEqual(own);
  });
});

describe('GET /sandbox/triggers (§Sandbox)', () => {
  it('lists the whole table of triggers', async () => {
    const { status, body } = await driver.tpp.get('/sandbox/triggers');
    expect(status).toBe(200);
    const triggers = body.triggers as Record<string, unknown>[];
    expect(triggers.map(({ name }) => name)).toEqual(TRIGGERS.map(({ name }) => name));
    expect(triggers.find(({ name }) => name === 'funds-insufficient')).toEqual({
      kind: 'payment',
      name: 'funds-insufficient',
      values: { receiverAccountBban: '66959000000008', receiverGiroNumber: '99900086' },
      effect: 'The funds do not cover the payment, whatever the balance.',
      status: 'REJECTED',
      errorCode: 'FUNDS_INSUFFICIENT',
    });
  });
});

describe('X-Sandbox-Fault (§Sandbox)', () => {
  it('gives documented refusals, which count in no metric', async () => {
    const refused = async (fault: string) => {
      const { status, body } = await driver.tpp.get('/accounts', { 'x-sandbox-fault': fault });
      return [status, body.errorCode];
    };
    const counted = async () => {
      const metrics = await readMetrics(driver.running.opsPort);
      return metrics.sum('http_server_request_duration_seconds_count', { http_route: '/accounts' });
    };
    const before = await counted();
    expect(await refused('429')).toEqual([429, 'RATE_LIMITED']);
    expect(await refused('503')).toEqual([503, 'UNAVAILABLE']);
    expect(await refused('none')).toEqual([400, 'FORMAT_ERROR']);
    expect(await counted()).toBe(before);
  });
});

describe('postings on simulated accounts (§Sandbox, §3.1)', () => {
  it('change the balance, are listed and have an event, once for each id', async () => {
    const accountId = await driver.idOf('Driftskonto');
    const before = await driver.state(accountId);
    const body = {
      transactionId: randomUUID(),
      amount: 1250.5,
      currency: 'DKK',
      title: 'Kunde',
      type: 'domesticCreditTransfer',
      debtor: { name: 'Kunde', account: { scheme: 'BBAN', identification: '66950001234567' } },
    };
    const path = `/sandbox/accounts/${accountId}/postings`;
    const first = await driver.send(path, body);
    expect(first.status).toBe(201);
    expect(first.text).toContain('"accountBalanceAfterTransaction":{"amount":');
    expect(await driver.send(path, body)).toMatchObject({ status: 201, body: first.body });
    expect(await driver.state(accountId)).toEqual({ ...before, balance: before.balance + 125_050 });
    const { posted } = await driver.tpp.page(accountId, { limit: 1 });
    expect(posted[0]).toMatchObject({
      id: body.transactionId,
      postingTime: first.body.postingTime,
      title: 'Kunde',
      type: 'domesticCreditTransfer',
      debtor: body.debtor,
    });
    const events = await driver.eventsOf(body.transactionId);
    expect(events).toMatchObject([{ audience: [driver.tpp.clientId], amountValue: '1250.50', credit: true }]);
  });

  it('are refused for lack of funds only on request, and the refused id never posts', async () => {
    const accountId = await driver.idOf('Felles konto');
    const debit = { transactionId: randomUUID(), amount: -9_000_000, currency: 'NOK' };
    const path = `/sandbox/accounts/${accountId}/postings`;
    for (let i = 0; i < 2; i++)
      expect(await driver.send(path, { ...debit, requireFunds: true })).toMatchObject({
        body: { errorCode: 'FUNDS_INSUFFICIENT' },
      });
    expect((await driver.send(path, { ...debit, transactionId: randomUUID() })).status).toBe(201);
  });

  it('work on accounts of the client’s organization alone, never on savings', async () => {
    const other = await driver.running.addTpp();
    const { rows } = await driver.running.pool.query<{ id: string }>(
      `SELECT account_id AS id FROM sandbox_account JOIN account ON account.id = account_id
       WHERE organization = (SELECT organization FROM sandbox_client WHERE client_id = $1) AND type = 'SAVINGS'`,
      [driver.tpp.clientId],
    );
    const body = { amount: 1, currency: 'DKK' };
    for (const id of [await driver.idOf('Lønkonto', other), rows[0]!.id, randomUUID(), 'none', '%00'])
      for (const path of ['postings', 'authorizations', `authorizations/${randomUUID()}/fail`])
        expect(
          await driver.send(`/sandbox/accounts/${id}/${path}`, path.endsWith('fail') ? undefined : body),
        ).toMatchObject({
          status: 404,
          body: { errorCode: 'RESOURCE_UNKNOWN' },
        });
  });

  it.each<[string, Record<string, unknown>]>([
    ['amount', { amount: 0 }],
    ['amount', { amount: 1.001 }],
    ['amount', { amount: 1e21 }],
    ['amount', { amount: '1' }],
    ['amount', { currency: 'XXX' }],
    ['currency', { currency: 'SEK' }],
    ['transactionId', { transactionId: 'x' }],
    ['transactionId', { transactionId: '6c7e0f0e-5d4b-5d6f-9a1c-3b2e8f70a915' }],
    ['title', { title: 'x'.repeat(141) }],
    ['title', { title: '\0' }],
    ['type', { type: 'none' }],
    ['transactionTime', { transactionTime: 'yesterday' }],
    ['transactionTime', { transactionTime: '1969-12-31T23:59:59Z' }],
    ['transactionTime', { transactionTime: '9999-12-31T23:59:59Z' }],
    ['transactionTime', { transactionTime: new Date(Date.now() + 26 * 3_600_000).toISOString() }],
    ['debtor.bic', { debtor: { bic: 'x' } }],
    ['debtor.account.scheme', { debtor: { account: { scheme: 'X', identification: '1' } } }],
    ['creditor.account.identification', { creditor: { account: { scheme: 'IBAN', identification: '' } } }],
    [
      'additionalInformation',
      { additionalInformation: Object.fromEntries([...Array(21).keys()].map((i) => [`k${i}`, 'v'])) },
    ],
    ['unknown', { unknown: 1 }],
  ])('names %s in %j, and nothing is booked', async (path, change) => {
    const accountId = await driver.idOf('Lønkonto');
    const before = await driver.state(accountId);
    for (const route of ['postings', 'authorizations']) {
      const body = { amount: -1, currency: 'DKK', ...change };
      const answer = await driver.send(`/sandbox/accounts/${accountId}/${route}`, body);
      expect({ status: answer.status, body: answer.body }).toMatchObject({
        status: 400,
        body: { errorCode: 'FORMAT_ERROR', details: [{ path }] },
      });
    }
    expect(await driver.state(accountId)).toEqual(before);
  });
});

describe('authorizations of simulated accounts (§Sandbox, §3.1)', () => {
  const authorize = async (more: Record<string, unknown> = {}, name = 'Lønkonto', reader = driver.tpp) => {
    const accountId = await driver.idOf(name, reader);
    const { status, body } = await driver.send(
      `/sandbox/accounts/${accountId}/authorizations`,
      { amount: -100, currency: 'DKK', type: 'card', ...more },
      reader,
    );
    expect({ status, body }).toMatchObject({ status: 201 });
    const transactionId = body.transactionId as string;
    const act = (what: 'settle' | 'fail', given?: unknown) =>
      driver.send(`/sandbox/accounts/${accountId}/authorizations/${transactionId}/${what}`, given, reader);
    return { accountId, transactionId, act };
  };

  it('reserve their amount, settle with another one, and keep their id', async () => {
    const before = await driver.state(await driver.idOf('Lønkonto'));
    const { accountId, transactionId, act } = await authorize();
    expect(await driver.state(accountId)).toEqual({ ...before, reserved: before.reserved + 10_000 });
    expect((await driver.tpp.page(accountId)).pending.map(({ id }) => id)).toContain(transactionId);
    const settled = await act('settle', { amount: -90.5, currency: 'DKK' });
    expect(settled).toMatchObject({ status: 200, body: { transactionId } });
    expect(await act('settle', { amount: -90.5, currency: 'DKK' })).toMatchObject({ body: settled.body });
    expect(await driver.state(accountId)).toEqual({ ...before, balance: before.balance - 9_050 });
    expect((await driver.tpp.page(accountId, { limit: 1 })).posted[0]).toMatchObject({
      id: transactionId,
      billingAmount: { amount: -90.5, currency: 'DKK' },
    });
    expect(await act('fail')).toMatchObject({ status: 409, body: { errorCode: 'STATUS_INVALID' } });
    expect(await act('settle', {})).toMatchObject({ status: 400 });
  });

  it('fail, release their amount, and stay readable by their id', async () => {
    const before = await driver.state(await driver.idOf('Lønkonto'));
    const { accountId, transactionId, act } = await authorize();
    expect((await act('fail')).status).toBe(204);
    expect((await act('fail')).status).toBe(204);
    expect(await driver.state(accountId)).toEqual(before);
    expect((await driver.tpp.page(accountId)).pending.map(({ id }) => id)).not.toContain(transactionId);
    expect((await driver.tpp.get(`/accounts/${accountId}/transactions/${transactionId}`)).body).toMatchObject(
      {
        deleted: true,
      },
    );
    expect(await act('settle')).toMatchObject({ status: 409 });
    expect(
      await driver.send(`/sandbox/accounts/${accountId}/authorizations/${randomUUID()}/settle`),
    ).toMatchObject({
      status: 404,
    });
  });

  it('end automatically as requested, once, and the others stay pending', async () => {
    const driven = await driver.running.addTpp();
    const settles = await authorize({ ends: { outcome: 'settle', after: 0 } }, 'Lønkonto', driven);
    const fails = await authorize({ ends: { outcome: 'fail', after: 'PT0S' } }, 'Lønkonto', driven);
    const waits = await authorize({ ends: { outcome: 'fail', after: 'PT1H' } }, 'Lønkonto', driven);
    await driver.ended(settles.transactionId, 'financial');
    await driver.ended(fails.transactionId, 'failed_authorization');
    expect(await driver.statusOf(waits.transactionId)).toMatchObject({ status: 'authorization' });
    const events = await driver.eventsOf(settles.transactionId);
    expect(events).toMatchObject([{ audience: [driven.clientId] }]);
  });

  it('end also if the end was due before the authorization was written', async () => {
    const driven = await driver.running.addTpp();
    const accountId = await driver.idOf('Lønkonto', driven);
    const transactionId = randomUUID();
    await driver.running.pool.query(
      `INSERT INTO sandbox_due (transaction_id, account_id, organization, outcome, ends_at, due_at)
       SELECT $1, $2, organization, 'settle', now(), now() FROM sandbox_client WHERE client_id = $3`,
      [transactionId, accountId, driven.clientId],
    );
    // The loop has seen the plan when it has ended a later one.
    const later = await authorize({ ends: { outcome: 'settle', after: 0 } }, 'Lønkonto', driven);
    await driver.ended(later.transactionId, 'financial');
    await driver.running.authorize({ transactionId, accountId });
    await driver.ended(transactionId, 'financial');
    expect(await driver.statusOf(transactionId)).toMatchObject({ status: 'financial' });
  });

  it.each([
    ['ends.after', { outcome: 'settle', after: 'P1M' }],
    ['ends.after', { outcome: 'settle', after: 'P367D' }],
    ['ends.after', { outcome: 'settle', after: 'soon' }],
    ['ends.outcome', { outcome: 'none', after: 'P1D' }],
    ['ends.after', { outcome: 'settle' }],
  ])('name %s in ends: %j', async (path, ends) => {
    const accountId = await driver.idOf('Lønkonto');
    const body = { amount: -1, currency: 'DKK', ends };
    expect(await driver.send(`/sandbox/accounts/${accountId}/authorizations`, body)).toMatchObject({
      status: 400,
      body: { details: [{ path }] },
    });
  });
});
