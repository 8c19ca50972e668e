import { amountJson } from '../amount.wire.ts';
import type { TransactionPage, TransactionText } from './transaction-page.repository.ts';
import type { PageRequest } from './page-request.wire.ts';

/** PostgreSQL's text of a timestamptz(3) in a UTC session as ISO 8601: `2026-03-01 08:30:15.12+00` → `…T08:30:15.120Z`. */
export function isoInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, '0')}Z`;
}

/** The JSON text of a transaction (specification §2.4). */
function transactionJson(row: TransactionText, account: { id: string; currency: string }): string {
  const posting = row.posting_time === null ? 'null' : `"${isoInstant(row.posting_time)}"`;
  const original =
    row.transaction_amount === null ? 'null' : amountJson(row.transaction_amount, row.transaction_currency!);
  const balance =
    row.balance_after === null
      ? ''
      : `,"accountBalanceAfterTransaction":${amountJson(row.balance_after, account.currency)}`;
  // The details are a JSON object already: its members go in as they are.
  const details = row.details === '{}' ? '' : `,${row.details.slice(1, -1)}`;
  return (
    `{"id":"${row.id}","transactionTime":"${isoInstant(row.transaction_time)}","postingTime":${posting},` +
    `"billingAmount":${amountJson(row.billing_amount, account.currency)},"transactionAmount":${original},` +
    `"title":${JSON.stringify(row.title)},"type":"${row.type}","status":"${row.status}",` +
    `"accountId":"${account.id}"${balance}${details}}`
  );
}

/** The JSON text of a page (specification §2.8). */
export function transactionsResponseV2(
  accountId: string,
  request: PageRequest,
  page: TransactionPage & { nextCursor?: string },
): string {
  const account = { id: accountId, currency: page.currency };
  const list = (rows: readonly TransactionText[]): string =>
    `[${rows.map((row) => transactionJson(row, account)).join(',')}]`;
  return (
    `{"limit":${request.limit}` +
    (request.from === undefined ? '' : `,"from":"${request.from}"`) +
    (request.to === undefined ? '' : `,"to":"${request.to}"`) +
    (page.nextCursor === undefined ? '' : `,"nextCursor":"${page.nextCursor}"`) +
    `,"pending":${list(page.pending)},"posted":${list(page.posted)}}`
  );
}
