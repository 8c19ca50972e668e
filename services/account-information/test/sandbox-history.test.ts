import { sandboxData } from '../src/account-data/sandbox/sandbox-data.ts';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../src/transactions/transaction.model.ts';
import { type Running, startAccountInformation, type TransactionBody } from './running.ts';

/** Returns every path of an object's members, `a.b` for nested ones. */
function paths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix];
  return Object.entries(value).flatMap(([name, member]) =>
    paths(member, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** ISO 13616: the rearranged text as a number is 1 modulo 97. */
function ibanHolds(iban: string): boolean {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11;

/** Checks the check digit of giro numbers and OCR references: every second digit from the right is doubled. */
function luhnHolds(number: string): boolean {
  const weighted = Array.from(number.replaceAll('-', ''))
    .toReversed()
    .map((digit, i) => String(Number(digit) * (i % 2 === 0 ? 1 : 2)));
  return Array.from(weighted.join(''), Number).reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

describe('the synthetic history (sandbox differences)', () => {
  const now = new Date('2026-03-01T00:00:30.000Z');
  const data = sandboxData('PSDDK-DFSA-12345678', now);
  const of = (accountId: string) =>
    data.transactions.filter((transaction) => transaction.accountId === accountId);

  it('has ids of its own for each organization', () => {
    const other = sandboxData('PSDDK-DFSA-1', now);
    expect(other.transactions).toHaveLength(data.transactions.length);
    const ids = (from: typeof data): string[] => [
      ...new Set(from.accounts.map((row) => row.userId)),
      ...from.accounts.map((row) => row.id),
      ...from.attachments.map((row) => row.id),
      ...from.transactions.map((row) => row.id),
    ];
    const all = [...ids(data), ...ids(other)];
    expect(new Set(all).size).toBe(all.length);
    for (const id of all)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('holds every status and every type of transaction (§2.4)', () => {
    expect(new Set(data.transactions.map(({ status }) => status))).toEqual(new Set(TRANSACTION_STATUSES));
    expect(new Set(data.transactions.map(({ type }) => type))).toEqual(new Set(TRANSACTION_TYPES));
  });

  it('has valid account numbers', () => {
    const bbans = (currency: string) =>
      data.accounts.filter((account) => account.currency === currency).map(({ bban }) => bban);
    for (const bban of bbans('DKK')) expect(bban).toMatch(/^\d{14}$/);
    for (const bban of bbans('SEK'))
      expect([bban.length, weighted(bban, [1, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])]).toEqual([11, 0]);
    for (const bban of bbans('NOK'))
      expect([bban.length, weighted(bban, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1])]).toEqual([11, 0]);
    const told = JSON.stringify(data.transactions.map(({ details }) => details));
    const ibans = [
      ...data.accounts.flatMap(({ iban }) => iban ?? []),
      ...Array.from(told.matchAll(/(?<="scheme":"IBAN","identification":")\w+/g), ([iban]) => iban),
    ];
    expect(ibans.length).toBeGreaterThan(data.accounts.length);
    expect(ibans.filter((iban) => !ibanHolds(iban))).toEqual([]);
    for (const [, bban] of told.matchAll(/"recipientBBAN":"(\w+)"/g)) expect(bban).toMatch(/^\w{11,14}$/);
  });

  it('has giro numbers and OCR references that can be paid to (§2.10)', () => {
    const told = JSON.stringify(data.transactions.map(({ details }) => details));
    const numbers = Array.from(told.matchAll(/(?<="(?:bgNumber|pgNumber|giroNumber|ocr)":")[\d-]+/g), String);
    expect(new Set(numbers).size).toBeGreaterThan(5);
    expect(numbers.filter((number) => !luhnHolds(number))).toEqual([]);
  });

  const isEmpty = ({ id }: (typeof data.accounts)[0]) => of(id!).length === 0;

  it.each(data.accounts.filter((account) => !isEmpty(account)))(
    'has balances that follow from it: $name',
    (account) => {
      const transactions = of(account.id);
      const posted = transactions
        .filter(({ status }) => status === 'financial')
        .toSorted((one, other) => Number(one.postingTime) - Number(other.postingTime));
      for (let i = 0; i < posted.length; i++) {
        const { postingTime, transactionTime, billingAmount, balanceAfter } = posted[i]!;
        expect(Number(postingTime)).toBeGreaterThanOrEqual(Number(transactionTime));
        expect(Number(postingTime)).toBeLessThan(now.getTime());
        if (i === 0) continue;
        expect(Number(postingTime)).toBeGreaterThan(Number(posted[i - 1]!.postingTime));
        expect(balanceAfter).toBe(BigInt(posted[i - 1]!.balanceAfter!) + BigInt(billingAmount));
      }
      expect(account.balance).toBe(posted.at(-1)!.balanceAfter);
      const sum = posted.reduce((total, { billingAmount }) => total + BigInt(billingAmount), 0n);
      expect(account.balance).toBe(BigInt(account.openingBalance!) + sum);
      const days = (now.getTime() - Number(posted[0]!.transactionTime)) / 86_400_000;
      expect(days).toBeGreaterThan(695);
      expect(days).toBeLessThan(732);
      expect(account.lastPostingTime).toEqual(posted.at(-1)!.postingTime);
      const held = transactions
        .filter(({ status }) => status === 'authorization')
        .reduce((sum, { billingAmount }) => sum - BigInt(billingAmount), 0n);
      expect(account.reserved).toBe(held);
    },
  );

  it('overdraws one account, and leaves all others within their credit limit', () => {
    const overdrawn = data.accounts.filter(({ id, balance, reserved, creditLimit }) => {
      const limit = BigInt(creditLimit ?? 0n);
      const isBeyond = of(id!).some(({ balanceAfter }) => BigInt(balanceAfter ?? 0n) + limit < 0n);
      return isBeyond || BigInt(balance) + limit - BigInt(reserved) < 0n;
    });
    expect(overdrawn.map(({ name }) => name)).toEqual(['Overtrukket konto']);
  });

  it('has parties on the side of the amount’s sign (§2.4)', () => {
    const numbers = new Map(data.accounts.map(({ id, bban }) => [id, bban]));
    const transfers = data.transactions.filter(({ type }) => type === 'domesticCreditTransfer');
    const wrong = transfers.filter(({ accountId, billingAmount, details }) => {
      const { debtor, creditor } = details as { debtor?: Party; creditor?: Party };
      const holder = BigInt(billingAmount) < 0n ? debtor : creditor;
      return holder?.account && holder.account.identification !== numbers.get(accountId);
    });
    expect(transfers.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  it('converts foreign amounts at the stated rate', () => {
    const foreign = data.transactions.filter(({ details }) => 'currencyExchange' in (details as object));
    expect(foreign.length).toBeGreaterThan(1);
    for (const { billingAmount, transactionAmount, details } of foreign) {
      const { exchangeRate } = (details as unknown as { currencyExchange: { exchangeRate: number } })
        .currencyExchange;
      expect(Number(billingAmount)).toBe(Math.round(Number(transactionAmount) * exchangeRate));
    }
  });
});

interface Party {
  name?: string;
  account?: { identification: string };
}

describe('the synthetic history as a client reads it (§2.4–2.6)', () => {
  let running: Running;
  beforeAll(async () => {
    running = await startAccountInformation();
  });
  afterAll(() => running.close());

  it('shows every optional field, present and absent', async () => {
    const tpp = await running.addTpp();
    const all: TransactionBody[] = [];
    for (const { id } of await tpp.accounts()) {
      all.push(...(await tpp.page(id)).pending);
      all.push(...(await tpp.posted(id, { limit: 500 })));
    }
    const main = all.filter(({ accountId }) => accountId === all[0]!.accountId);
    expect(main.filter(({ status }) => status === 'financial').length).toBeGreaterThanOrEqual(250);
    const shown = new Set(all.flatMap((transaction) => paths(transaction)));
    const specified = [
      ...words('id transactionTime postingTime title type status accountId message attachmentIds'),
      ...words('amount currency', 'billingAmount', 'transactionAmount', 'accountBalanceAfterTransaction'),
      ...words('currency targetCurrency exchangeRate', 'currencyExchange'),
      ...words('recipientBBAN message', 'domesticCreditTransferInfo'),
      ...words('merchantName merchantCategoryCode cardEntryMode walletProvider isAtm', 'cardTransactionInfo'),
      ...words('city country', 'cardTransactionInfo.merchantLocation'),
      ...words('name address account.scheme account.identification bic', 'debtor', 'creditor'),
      ...words('bgNumber pgNumber giroNumber bgIssuer ocr mobilePaymentId', 'additionalInformation'),
    ];
    // A null `transactionAmount` is a path of its own; `postingTime` has the same path with a value.
    expect([...shown].toSorted()).toEqual([...specified, 'transactionAmount'].toSorted());

    const values = (field: string) => new Set(all.map((transaction) => valueAt(transaction, field)));
    expect(values('cardTransactionInfo.cardEntryMode')).toEqual(
      new Set(['chip', 'contactless', 'magneticStripe', 'manual', 'merchantInitiated', undefined]),
    );
    expect(values('cardTransactionInfo.walletProvider')).toEqual(
      new Set(['wallet_a', 'wallet_b', undefined]),
    );
    const schemes = new Set([...values('debtor.account.scheme'), ...values('creditor.account.scheme')]);
    expect(schemes).toEqual(new Set(['IBAN', 'BBAN', 'ACCOUNT_NUMBER', undefined]));
  });
});

/** Returns the fields of a line, or the fields of each named object. */
function words(line: string, ...objects: string[]): string[] {
  const fields = line.split(' ');
  return objects.length === 0
    ? fields
    : objects.flatMap((object) => fields.map((field) => `${object}.${field}`));
}

function valueAt(transaction: TransactionBody, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], transaction);
}
