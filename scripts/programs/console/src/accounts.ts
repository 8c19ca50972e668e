import { html } from '@kontoport/pages';
import type { Session } from '@kontoport/profile';
import type { Request } from 'express';
import type { Screen } from './screen.ts';
import { nextPage, table, time } from './table.ts';

const PAGE = 50;

interface Account {
  id: string;
  name: string;
  bban: string;
  currency: string;
  supportsPayments: boolean;
}

interface Transaction {
  id: string;
  transactionTime: string;
  title: string;
  type: string;
  status: string;
  billingAmount: { amount: number; currency: string };
}

/** Shows the simulated accounts of the organization (GET /sandbox/accounts). */
export async function accountsPage(session: Session): Promise<Screen> {
  const { accounts } = await session.ask('GET', '/sandbox/accounts');
  return {
    title: 'Accounts',
    body: table(
      ['Account', 'BBAN', 'Currency', 'Pays', 'Id'],
      (accounts as Account[]).map(({ id, name, bban, currency, supportsPayments }) => [
        html`<a href="/accounts/${id}">${name}</a>`,
        html`<code>${bban}</code>`,
        currency,
        supportsPayments ? 'yes' : 'no',
        html`<code>${id}</code>`,
      ]),
      'The simulated bank has no accounts.',
    ),
  };
}

/** Shows the transactions of an account, page by page (GET /v2/accounts/{accountId}/transactions). */
export async function accountPage(session: Session, request: Request): Promise<Screen> {
  const id = encodeURIComponent(String(request.params.account));
  const query = new URLSearchParams({ limit: String(PAGE) });
  const { cursor } = request.query;
  if (typeof cursor === 'string') query.set('cursor', cursor);
  const page = await session.ask('GET', `/v2/accounts/${id}/transactions?${query.toString()}`);
  const rows = (list: unknown) =>
    (list as Transaction[]).map((each) => [
      time(each.transactionTime),
      each.title,
      each.type,
      each.status,
      html`<span class="number"
        >${each.billingAmount.amount.toFixed(2)} ${each.billingAmount.currency}</span
      >`,
      html`<code>${each.id}</code>`,
    ]);
  const head = ['Time', 'Title', 'Type', 'Status', 'Amount', 'Id'];
  // Each page of the list repeats the pending transactions.
  const pending = query.has('cursor')
    ? undefined
    : html`<h2>Pending</h2>
        ${table(head, rows(page.pending ?? []), 'No transaction is pending.')}`;
  return {
    title: 'Transactions',
    body: html`${pending}
      <h2>Posted</h2>
      ${table(head, rows(page.posted ?? []), 'No transaction is posted.')}
      ${nextPage(`/accounts/${id}`, page.nextCursor)}`,
  };
}
