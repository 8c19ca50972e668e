import {
  expectStatus,
  expectThat,
  type Json,
  jsonOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from './expectations.ts';
import { eventually, PAYMENT, RECEIVER_BBAN, type Session, type Tour } from './script.ts';
import type { Answer, Call } from './tpp-client.ts';

const PAGE = 50;
const MOST_PAGES = 200;
const POSTED_LIMIT_MS = 60_000;

/** The account that the tour pays from. */
export interface ChosenAccount {
  id: string;
  bban: string;
}

/** GET /accounts, and the first Danish account that can pay. */
export async function chooseAccount(
  { sandbox, tpp, narrator }: Tour,
  session: Session,
): Promise<ChosenAccount> {
  narrator.step('Read the accounts');
  const call: Call = {
    method: 'GET',
    url: `${sandbox.baseUrl}/accounts`,
    authorization: session.authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 200);
  const accounts = listOf(jsonOf(answer), 'accounts');
  narrator.exchange(call, answer, { accounts: accounts.length });
  const facts = accounts.map((account) => {
    const type = textOf(account, 'type');
    expectThat(type === 'CHECKING', 'only CHECKING accounts', type);
    const available = numberOf(account, 'balanceAvailableAmount').toFixed(2);
    return [
      textOf(account, 'name'),
      `${available} ${textOf(account, 'currency')}  ${textOf(account, 'id')}`,
    ] as const;
  });
  narrator.facts(Object.fromEntries(facts));
  const payable = accounts.find(
    (account) =>
      account.currency === PAYMENT.currency &&
      account.supportsPayments === true &&
      numberOf(account, 'balanceAvailableAmount') * 100 >= PAYMENT.minor,
  );
  expectThat(
    payable !== undefined,
    `a ${PAYMENT.currency} account that supports payments and has funds`,
    'none',
  );
  return { id: textOf(payable, 'id'), bban: textOf(payable, 'bban') };
}

const listCall = (
  { sandbox }: Tour,
  query: { session: Session; account: ChosenAccount; limit: number; cursor?: string },
): Call => {
  const parameters = new URLSearchParams({ limit: String(query.limit) });
  if (query.cursor !== undefined) parameters.set('cursor', query.cursor);
  return {
    method: 'GET',
    url: `${sandbox.baseUrl}/v2/accounts/${query.account.id}/transactions?${parameters.toString()}`,
    authorization: query.session.authorization,
  };
};

interface Page {
  call: Call;
  answer: Answer;
  posted: Json[];
  pending: Json[];
  nextCursor: string | undefined;
}

async function readPage(
  tour: Tour,
  query: { session: Session; account: ChosenAccount; limit: number; cursor?: string },
): Promise<Page> {
  const call = listCall(tour, query);
  const answer = await tour.tpp.call(call);
  expectStatus(answer, 200);
  const json = jsonOf(answer);
  return {
    call,
    answer,
    posted: listOf(json, 'posted'),
    pending: listOf(json, 'pending'),
    nextCursor: json.nextCursor === undefined ? undefined : textOf(json, 'nextCursor'),
  };
}

const idsOf = (transactions: Json[]): string[] =>
  transactions.map((transaction) => textOf(transaction, 'id'));

/** GET /v2/accounts/{id}/transactions, page by page. Hands back the ids of everything posted so far. */
export async function readTransactions(
  tour: Tour,
  session: Session,
  account: ChosenAccount,
): Promise<Set<string>> {
  const { narrator } = tour;
  narrator.step('Read the transactions, page by page');
  const seen = new Set<string>();
  let pendingIds: string[] | undefined;
  let lastTime: string | undefined;
  let cursor: string | undefined;
  for (let number = 1; ; number += 1) {
    expectThat(number <= MOST_PAGES, `at most ${MOST_PAGES} pages`, 'more');
    const page = await readPage(tour, {
      session,
      account,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expectThat(page.posted.length <= PAGE, `at most ${PAGE} posted transactions`, page.posted.length);
    for (const transaction of page.posted) {
      const id = textOf(transaction, 'id');
      expectThat(!seen.has(id), 'pages that do not overlap', `${id} twice`);
      seen.add(id);
      expectThat(
        transaction.status === 'financial',
        'posted transactions with status financial',
        transaction.status,
      );
      const time = textOf(transaction, 'postingTime');
      expectThat(lastTime === undefined || time <= lastTime, 'newest first', `${time} after ${lastTime}`);
      lastTime = time;
    }
    const pending = idsOf(page.pending);
    pendingIds ??= pending;
    expectThat(pending.join() === pendingIds.join(), 'the same pending list on every page', pending);
    if (number === 1) narrator.exchange(page.call, page.answer);
    const next =
      page.nextCursor === undefined ? 'no nextCursor: the last page' : `nextCursor ${page.nextCursor}`;
    narrator.facts({
      [`page ${number}`]: `${page.posted.length} posted, ${pending.length} pending, ${next}`,
    });
    if (page.nextCursor === undefined) break;
    cursor = page.nextCursor;
  }
  narrator.note(
    `${seen.size} posted transactions, none twice; the same ${pendingIds.length} pending on every page`,
  );
  return seen;
}

/** The payment among the posted transactions: the one that was not there before. */
export async function findPosted(
  tour: Tour,
  { session, account, known }: { session: Session; account: ChosenAccount; known: ReadonlySet<string> },
): Promise<{ id: string; postingTime: string }> {
  tour.narrator.step('See the payment as a posted transaction');
  const { page, transaction } = await eventually(
    async () => {
      const found = await readPage(tour, { session, account, limit: PAGE });
      const fresh = found.posted.find(
        (posted) =>
          !known.has(textOf(posted, 'id')) &&
          Math.round(numberOf(objectOf(posted, 'billingAmount'), 'amount') * 100) === -PAYMENT.minor,
      );
      return fresh && { page: found, transaction: fresh };
    },
    { what: `a new posted transaction of -${PAYMENT.amount}`, limit: POSTED_LIMIT_MS, every: 250 },
  );
  expectThat(transaction.type === 'domesticCreditTransfer', 'type domesticCreditTransfer', transaction.type);
  const recipient = objectOf(transaction, 'domesticCreditTransferInfo').recipientBBAN;
  expectThat(recipient === RECEIVER_BBAN, `recipientBBAN ${RECEIVER_BBAN}`, recipient);
  const posted = { id: textOf(transaction, 'id'), postingTime: textOf(transaction, 'postingTime') };
  tour.narrator.exchange(page.call, page.answer, {
    id: posted.id,
    title: textOf(transaction, 'title'),
    status: textOf(transaction, 'status'),
    billingAmount: JSON.stringify(transaction.billingAmount),
    postingTime: posted.postingTime,
  });
  return posted;
}
