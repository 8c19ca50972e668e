import { randomUUID } from 'node:crypto';
import { decimalsOf } from '@kontoport/money';
import { Outcome } from '@kontoport/proto/accounts/v1';
import { bankAccount, openAccount, openTo } from './bank-account.ts';
import { consentScene } from './consent-scene.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';

let running: Running;
let tpp: Reader;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
});
afterAll(() => running.close());

const dkk = (value: string) => ({ value, currency: 'DKK' });
const accountOf = async (accountId: string) => (await tpp.accounts()).find(({ id }) => id === accountId);
const unknown = { status: 404, errorCode: 'RESOURCE_UNKNOWN' };

describe('an account that the bank puts (§2.2)', () => {
  it('has every field that the bank sends', async () => {
    const account = await openAccount(running, tpp, {
      name: 'Lønkonto',
      bban: '40440116243',
      iban: 'DK5000400440116243',
      swift: 'KOPODK20',
      creditLimit: dkk('10000.00'),
      openingBalance: dkk('-250.75'),
      supportsPayments: true,
      supportsTransfers: true,
      ownerName: 'Freja Lindholm',
      usage: 'PRIVATE',
    });
    expect(await accountOf(account.accountId)).toEqual({
      id: account.accountId,
      name: 'Lønkonto',
      currency: 'DKK',
      bban: '40440116243',
      iban: 'DK5000400440116243',
      swift: 'KOPODK20',
      balanceAmount: -250.75,
      balanceReservedAmount: 0,
      balanceAvailableAmount: 9749.25,
      creditLimitAmount: 10000,
      type: 'CHECKING',
      supportsPayments: true,
      supportsTransfers: true,
      ownerName: 'Freja Lindholm',
      usage: 'PRIVATE',
    });
  });

  it('has the required fields alone where the bank sends no other', async () => {
    const account = await openAccount(running, tpp);
    expect(await accountOf(account.accountId)).toEqual({
      id: account.accountId,
      name: 'Drift',
      currency: 'DKK',
      bban: '66950001234567',
      balanceAmount: 0,
      balanceReservedAmount: 0,
      balanceAvailableAmount: 0,
      type: 'CHECKING',
      supportsPayments: false,
      supportsTransfers: false,
    });
  });

  it('changes with the next one, loses absent fields, and keeps its balance', async () => {
    const first = await openAccount(running, tpp, {
      ownerName: 'Freja Lindholm',
      creditLimit: dkk('5.00'),
      openingBalance: dkk('100.00'),
    });
    await running.post({ accountId: first.accountId, amount: dkk('-30.00') });
    await running.authorize({ accountId: first.accountId, amount: dkk('-7.00'), type: 'card' });
    const next = bankAccount({ ...first, name: 'Ny', ownerName: '', creditLimit: undefined });
    const answer = {
      accountId: first.accountId,
      balance: dkk('70.00'),
      reserved: dkk('7.00'),
      available: dkk('63.00'),
    };
    expect(await running.feed.putAccount(next)).toEqual(answer);
    expect(await running.feed.putAccount({ ...next, openingBalance: undefined })).toEqual(answer);
    const told = await accountOf(first.accountId);
    expect(told).toMatchObject({ name: 'Ny', balanceAmount: 70, balanceAvailableAmount: 63 });
    expect(told).not.toHaveProperty('ownerName');
    expect(told).not.toHaveProperty('creditLimitAmount');
  });

  it('is listed in the bank’s order of the user’s accounts', async () => {
    const userId = randomUUID();
    const last = await openAccount(running, tpp, { userId, position: 32_767 });
    const former = await openAccount(running, tpp, { userId, position: 32_766 });
    const ids = (await tpp.accounts()).map(({ id }) => id);
    expect(ids.slice(-2)).toEqual([former.accountId, last.accountId]);
  });

  it('is created once by concurrent requests', async () => {
    const account = bankAccount({ openingBalance: dkk('5.00') });
    const answers = await Promise.all(Array.from({ length: 8 }, () => running.feed.putAccount(account)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

describe('the fixed fields of an account (ADR-0019)', () => {
  it('changes currency and opening balance while it has no transactions', async () => {
    const account = await openAccount(running, tpp, { openingBalance: dkk('100.00') });
    const isk = bankAccount({
      ...account,
      currency: 'ISK',
      openingBalance: { value: '7', currency: 'ISK' },
    });
    expect((await running.feed.putAccount(isk)).balance).toEqual({ value: '7', currency: 'ISK' });
    expect(await accountOf(account.accountId)).toMatchObject({ currency: 'ISK', balanceAmount: 7 });
  });

  it.each([
    ['its user', 'user_id', { userId: randomUUID() }],
    ['its currency', 'currency', { currency: 'SEK', openingBalance: undefined }],
    ['its opening balance', 'opening_balance', { openingBalance: dkk('100.01') }],
  ])('keeps %s once it has a transaction', async (_what, field, change) => {
    const account = await openAccount(running, tpp, { openingBalance: dkk('100.00') });
    await running.authorize({ accountId: account.accountId, amount: dkk('-1.00'), type: 'card' });
    await expect(running.feed.putAccount({ ...account, name: 'Ny', ...change })).rejects.toMatchObject({
      code: 'STATUS_INVALID',
      message: expect.stringContaining(field),
    });
    expect(await accountOf(account.accountId)).toMatchObject({ name: 'Drift', currency: 'DKK' });
  });

  it('keeps its user from the beginning: consents belong to a user', async () => {
    const account = await openAccount(running, tpp);
    await expect(running.feed.putAccount({ ...account, userId: randomUUID() })).rejects.toMatchObject({
      code: 'STATUS_INVALID',
    });
  });

  it('keeps its currency against a posting of the same moment', async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => openAccount(running, tpp)));
    for (const account of accounts) {
      const [put, posted] = await Promise.allSettled([
        running.feed.putAccount({ ...account, currency: 'SEK' }),
        running.post({ accountId: account.accountId, amount: dkk('-1.00') }),
      ]);
      expect([put.status, posted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      expect((await accountOf(account.accountId))?.currency).toBe(put.status === 'fulfilled' ? 'SEK' : 'DKK');
    }
  });
});

describe('accounts that no TPP sees (§1, §2.2)', () => {
  it.each([
    ['of another type', { type: 'SAVINGS' }],
    ['of a type that only this bank has', { type: 'CHILD_SAVINGS' }],
    ['that are closed', { closed: true }],
  ])('are those %s, through every path; the books go on', async (_what, change) => {
    const account = await openAccount(running, tpp);
    const { accountId } = account;
    const { transactionId } = await running.post({ accountId, amount: dkk('5.00') });
    const path = `/accounts/${accountId}/transactions`;
    expect((await tpp.get(path)).status).toBe(200);

    await running.feed.putAccount({ ...account, ...change });
    expect(await accountOf(accountId)).toBeUndefined();
    for (const hidden of [path, `/v2${path}`, `${path}/${transactionId}`])
      expect(await tpp.refusal(hidden)).toMatchObject(unknown);
    await expect(running.getAccount(tpp.clientId, accountId)).rejects.toMatchObject({
      code: 'RESOURCE_UNKNOWN',
    });
    const late = await running.post({ accountId, amount: dkk('1.00') });
    expect(late.balanceAfter).toEqual(dkk('6.00'));
    expect(await running.feed.getOutcome({ accountId, transactionId })).toMatchObject({
      outcome: Outcome.OUTCOME_BOOKED,
    });

    await running.feed.putAccount(account);
    expect(await accountOf(accountId)).toMatchObject({ balanceAmount: 6 });
    expect((await tpp.get(`${path}/${transactionId}`)).status).toBe(200);
  });
});

describe('events of accounts (§6)', () => {
  it('are of CHECKING alone: no other account number leaves the service', async () => {
    // Every event uses an id of the outbox.
    const events = async () => {
      const { rows } = await running.pool.query('SELECT last_value FROM outbox_id_seq');
      return Number((rows[0] as { last_value: string }).last_value);
    };
    const settled = async ({ accountId }: { accountId: string }) => {
      const before = await events();
      await running.post({ accountId, amount: dkk('5.00') });
      const { transactionId } = await running.authorize({ accountId, type: 'card' });
      await running.settle({ accountId, transactionId });
      return (await events()) - before;
    };
    const savings = bankAccount({ type: 'SAVINGS' });
    await running.feed.putAccount(savings);
    expect(await settled(savings)).toBe(0);
    expect(await settled(await openAccount(running, tpp))).toBe(2);
  });
});

describe('an account that is closed (§1, §5.9)', () => {
  it('is offered on no page, and no consent opens it', async () => {
    const { id: accountId, bban, currency } = await tpp.account('Budgetkonto');
    const opening = async () =>
      (await running.listConsents(tpp.clientId)).consents.find(({ accountIds }) =>
        accountIds.includes(accountId),
      );
    const { userId } = (await opening())!;
    const chosen = async () =>
      (await running.listUserAccounts(tpp.clientId, userId)).accounts.map((account) => account.accountId);
    const consent = {
      consentId: randomUUID(),
      clientId: tpp.clientId,
      userId,
      accountIds: [accountId],
      roles: ['PSP_AI'],
      validUntil: new Date(Date.now() + 3_600_000),
    };
    expect(await chosen()).toContain(accountId);
    const account = bankAccount({ accountId, userId, bban, currency });
    await running.feed.putAccount({ ...account, closed: true });
    expect(await chosen()).not.toContain(accountId);
    expect(await opening()).toBeUndefined();
    await expect(running.createConsent(consent)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
    await running.feed.putAccount(account);
    expect(await chosen()).toContain(accountId);
    await running.createConsent(consent);
  });

  it('is part of a repeated consent, whatever happened to it since', async () => {
    const { userId, accounts, ask } = await consentScene(running);
    const [staying, closing] = accounts;
    const consent = ask({ accountIds: [staying!.accountId, closing!.accountId] });
    const { consent: given } = await running.createConsent(consent);
    const { accountId, bban, currency } = closing!;
    await running.feed.putAccount(bankAccount({ accountId, userId, bban, currency, closed: true }));
    expect((await running.createConsent(consent)).consent).toEqual({
      ...given,
      accountIds: [staying!.accountId],
    });
    const visible = { ...consent, accountIds: [staying!.accountId] };
    await expect(running.createConsent(visible)).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
  });
});

describe('amounts in every currency of ISO 4217 (§2.2, §2.3)', () => {
  const MOST = 2n ** 63n - 1n;
  const text = (units: bigint, decimals: number): string => {
    const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
    const whole = digits.slice(0, digits.length - decimals);
    return `${units < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
  };

  it.each([
    ['JPY', 0],
    ['DKK', 2],
    ['KWD', 3],
    ['CLF', 4],
  ])('are exact to the last digit at both ends of int64: %s', async (currency, decimals) => {
    expect(decimalsOf(currency)).toBe(decimals);
    const amount = (units: bigint) => ({ value: text(units, decimals), currency });
    const top = await openAccount(running, tpp, { currency, openingBalance: amount(MOST - 1n) });
    const bottom = await openAccount(running, tpp, { currency, openingBalance: amount(-MOST) });
    const { transactionId } = await running.post({ accountId: top.accountId, amount: amount(1n) });
    await running.post({ accountId: bottom.accountId, amount: amount(-1n) });
    const whole = await openAccount(running, tpp, { currency });
    await running.post({ accountId: whole.accountId, amount: amount(MOST) });

    const { text: accounts } = await tpp.get('/accounts');
    expect(accounts).toContain(`"balanceAmount":${text(MOST, decimals)},`);
    expect(accounts).toContain(`"balanceAmount":${text(-MOST - 1n, decimals)},`);
    const { text: detail } = await tpp.get(`/accounts/${top.accountId}/transactions/${transactionId}`);
    expect(detail).toContain(`"billingAmount":{"amount":${text(1n, decimals)},"currency":"${currency}"}`);
    expect(detail).toContain(`"accountBalanceAfterTransaction":{"amount":${text(MOST, decimals)},`);
    const { text: page } = await tpp.get(`/v2/accounts/${whole.accountId}/transactions`);
    expect(page).toContain(`"billingAmount":{"amount":${text(MOST, decimals)},"currency":"${currency}"}`);

    for (const [{ accountId }, over] of [
      [top, 1n],
      [bottom, -1n],
    ] as const) {
      const tooMuch = { code: 'FORMAT_ERROR', message: expect.stringContaining('can hold') };
      await expect(running.post({ accountId, amount: amount(over) })).rejects.toMatchObject(tooMuch);
    }
    const held = { accountId: whole.accountId, type: 'card', amount: amount(-MOST) };
    await running.authorize(held);
    await expect(running.authorize(held)).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
  });

  it('can be original amounts, too', async () => {
    const { accountId } = await openAccount(running, tpp);
    const { transactionId } = await running.post({
      accountId,
      amount: dkk('-22.20'),
      transactionAmount: { value: '-1.0001', currency: 'CLF' },
    });
    const { text: detail } = await tpp.get(`/accounts/${accountId}/transactions/${transactionId}`);
    expect(detail).toContain('"transactionAmount":{"amount":-1.0001,"currency":"CLF"}');
  });
});

describe('bad input to Ledger.PutAccount', () => {
  it('is refused with the field named, and nothing is stored', async () => {
    const faults: [string, object][] = [
      ['accountId', { accountId: 'x' }],
      ['userId', { userId: '' }],
      ['name', { name: '' }],
      ['name', { name: 'a\0b' }],
      ['name', { name: 'x'.repeat(141) }],
      ['type', { type: '' }],
      ['type', { type: 'checking' }],
      ['type', { type: 'X'.repeat(33) }],
      ['currency', { currency: 'ZZZ' }],
      ['currency', { currency: 'dkk' }],
      ['currency', { currency: '' }],
      ['bban', { bban: '123' }],
      ['bban', { bban: '1'.repeat(35) }],
      ['bban', { bban: '1234 5678' }],
      ['iban', { iban: 'DK5100400440116243' }],
      ['iban', { iban: 'DK50 0040 0440 1162 43' }],
      ['swift', { swift: 'LUNA' }],
      ['creditLimit', { creditLimit: dkk('-0.01') }],
      ['creditLimit.value', { creditLimit: dkk('1.234') }],
      ['creditLimit.currency', { creditLimit: { value: '1', currency: 'SEK' } }],
      ['openingBalance.currency', { openingBalance: { value: '1', currency: 'SEK' } }],
      ['openingBalance.value', { openingBalance: dkk('92233720368547758.08') }],
      ['ownerName', { ownerName: 'x'.repeat(141) }],
      ['usage', { usage: 'BOTH' }],
      ['position', { position: 32_768 }],
    ];
    for (const [path, fault] of faults) {
      const account = bankAccount(fault);
      await expect(running.feed.putAccount(account)).rejects.toMatchObject({
        code: 'FORMAT_ERROR',
        details: [{ path }],
      });
    }
    const tooMuch = bankAccount({ openingBalance: dkk('92233720368547758.07'), creditLimit: dkk('0.01') });
    await expect(running.feed.putAccount(tooMuch)).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
    await expect(
      running.feed.getOutcome({ accountId: tooMuch.accountId, reference: '1' }),
    ).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  });

  it('accepts the longest values', async () => {
    const account = bankAccount({
      name: 'x'.repeat(140),
      type: 'X'.repeat(32),
      bban: '1'.repeat(34),
      ownerName: 'x'.repeat(140),
      position: 32_767,
    });
    await running.feed.putAccount(account);
    await openTo(running, tpp, account);
    await running.feed.putAccount({ ...account, type: 'CHECKING', bban: '1234' });
    expect(await accountOf(account.accountId)).toMatchObject({ bban: '1234' });
  });
});
