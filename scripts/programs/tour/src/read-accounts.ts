import { expectThat, type Json, listOf, numberOf, objectOf, textOf } from './expectations.ts';
import {
  type Account,
  api,
  type Asked,
  eventually,
  PAYMENT,
  RECEIVER_BBAN,
  type SignedIn,
  type Visit,
} from './script.ts';

const PAGE = 50;
const MAX_PAGES = 200;

/** Finds the first account that can pay an amount. */
export function payableIn(
  { json }: Asked,
  { currency, amount }: { currency: string; amount: number },
): Account {
  const payable = listOf(json, 'accounts').find(
    (account) =>
      account.currency === currency &&
      account.supportsPayments === true &&
      numberOf(account, 'balanceAvailableAmount') >= amount,
  );
  expectThat(payable !== undefined, `a ${currency} account that supports payments and has funds`, 'none');
  return { id: textOf(payable, 'id'), bban: textOf(payable, 'bban') };
}

/** Reads the accounts (§4.3) and chooses the first Danish one that can pay. */
export async function chooseAccount(tour: SignedIn): Promise<Account> {
  await tour.narrator.chapter('Read the accounts');
  const asked = await api(tour, { path: '/accounts' });
  const accounts = listOf(asked.json, 'accounts').map((account) => {
    const type = textOf(account, 'type');
    expectThat(type === 'CHECKING', 'only CHECKING accounts', type);
    const available = numberOf(account, 'balanceAvailableAmount').toFixed(2);
    return [
      textOf(account, 'name'),
      `${available} ${textOf(account, 'currency')}  ${textOf(account, 'id')}`,
    ] as const;
  });
  tour.narrator.exchange(asked, Object.fromEntries(accounts));
  return payableIn(asked, { currency: PAYMENT.currency, amount: PAYMENT.minor / 100 });
}

function readPage(tour: SignedIn, { id }: Account, cursor?: string): Promise<Asked> {
  const parameters = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
  return api(tour, { path: `/v2/accounts/${id}/transactions?${parameters.toString()}` });
}

const pendingIn = (json: Json): string =>
  listOf(json, 'pending')
    .map((transaction) => textOf(transaction, 'id'))
    .join();

/** Reads the transactions page by page (§4.3). @returns the ids of all that are posted */
export async function readTransactions(tour: SignedIn, account: Account): Promise<Set<string>> {
  await tour.narrator.chapter('Read the transactions, page by page');
  const seen = new Set<string>();
  let pending: string | undefined;
  let lastTime: string | undefined;
  let cursor: string | undefined;
  for (let number = 1; ; number += 1) {
    expectThat(number <= MAX_PAGES, `at most ${MAX_PAGES} pages`, 'more');
    const page = await readPage(tour, account, cursor);
    const posted = listOf(page.json, 'posted');
    expectThat(posted.length <= PAGE, `at most ${PAGE} posted transactions`, posted.length);
    for (const transaction of posted) {
      const id = textOf(transaction, 'id');
      expectThat(!seen.has(id), 'pages that do not overlap', `${id} twice`);
      seen.add(id);
      const { status } = transaction;
      expectThat(status === 'financial', 'posted transactions with status financial', status);
      const time = textOf(transaction, 'postingTime');
      expectThat(lastTime === undefined || time <= lastTime, 'newest first', `${time} after ${lastTime}`);
      lastTime = time;
    }
    pending ??= pendingIn(page.json);
    expectThat(pendingIn(page.json) === pending, 'the same pending list on every page', page.json.pending);
    if (number === 1) tour.narrator.exchange(page);
    const next = page.json.nextCursor === undefined ? undefined : textOf(page.json, 'nextCursor');
    tour.narrator.facts({
      [`page ${number}`]: `${posted.length} posted, ${next === undefined ? 'no nextCursor: the last page' : `nextCursor ${next}`}`,
    });
    if (next === undefined) break;
    cursor = next;
  }
  tour.narrator.note(`${seen.size} posted transactions, none twice; the same pending ones on every page`);
  return seen;
}

/** Waits for the payment among the posted transactions: the one that was not there before. */
export async function findPosted(
  tour: Visit,
  known: ReadonlySet<string>,
): Promise<{ id: string; postingTime: string }> {
  const isPayment = (posted: Json): boolean =>
    !known.has(textOf(posted, 'id')) &&
    Math.round(numberOf(objectOf(posted, 'billingAmount'), 'amount') * 100) === -PAYMENT.minor;
  await tour.narrator.chapter('Find the payment among the posted transactions');
  const { page, found } = await eventually(`a new posted transaction of -${PAYMENT.amount}`, async () => {
    const page = await readPage(tour, tour.account);
    const found = listOf(page.json, 'posted').find(isPayment);
    return found && { page, found };
  });
  expectThat(found.type === 'domesticCreditTransfer', 'type domesticCreditTransfer', found.type);
  const recipient = objectOf(found, 'domesticCreditTransferInfo').recipientBBAN;
  expectThat(recipient === RECEIVER_BBAN, `recipientBBAN ${RECEIVER_BBAN}`, recipient);
  const posted = { id: textOf(found, 'id'), postingTime: textOf(found, 'postingTime') };
  tour.narrator.exchange(page, {
    id: posted.id,
    title: textOf(found, 'title'),
    status: textOf(found, 'status'),
    billingAmount: JSON.stringify(found.billingAmount),
    postingTime: posted.postingTime,
  });
  return posted;
}
