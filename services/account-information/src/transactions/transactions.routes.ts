import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { type AccountData, accountUnknown, callerOf } from '../accounts/account.model.ts';
import { requireAccount } from '../accounts/account.repository.ts';
import type { Db } from '../gen/db.ts';
import { flatQuery } from './page-request.wire.ts';
import { transactionUnknown } from './transaction.model.ts';
import { selectTransaction, selectTransactionList } from './transaction.repository.ts';
import {
  detailExample,
  detailToWire,
  listExample,
  listToWire,
  transactionDetailAnswer,
  transactionsAnswer,
} from './transaction.wire.ts';

/** `GET /accounts/{accountId}/transactions`, and one transaction by its id (§4.3). */
export function transactionsRoutes(deps: { accountData: AccountData; db: Db }): Route[] {
  const { accountData, db } = deps;
  return [
    route({
      method: 'GET',
      path: '/accounts/:accountId/transactions',
      clause: ['§4.3', '§2.7', '§9.1'],
      summary: 'List the transactions of an account, newest first',
      description:
        'Ordered by transactionTime and id, in every status, without removed transactions. New transactions shift ' +
        'later pages; the pages of the V2 list do not overlap.',
      security: { kind: 'token', scope: 'PSP_AI' },
      params: z.object({ accountId: uuid }),
      unknown: accountUnknown,
      exists: async ({ principal: { token }, params: { accountId } }) =>
        requireAccount(db, await accountData.ensure(callerOf(token, 'PSP_AI')), accountId),
      query: flatQuery,
      answers: {
        200: { description: 'The transactions.', json: transactionsAnswer, example: listExample },
      },
      handler: async ({ principal: { token }, params: { accountId }, query: request, language }) => {
        const caller = await accountData.ensure(callerOf(token, 'PSP_AI'));
        const list = await selectTransactionList(db, { caller, accountId, request });
        if (list === undefined) throw accountUnknown();
        return { status: 200, language, json: listToWire({ accountId, language, request }, list) };
      },
    }),
    route({
      method: 'GET',
      path: '/accounts/:accountId/transactions/:transactionId',
      clause: ['§4.3', '§2.9', '§3.1'],
      summary: 'Read a transaction',
      description: 'A removed transaction stays readable here, with `deleted`.',
      security: { kind: 'token', scope: 'PSP_AI' },
      params: z.object({ accountId: uuid, transactionId: uuid }),
      unknown: transactionUnknown,
      resource: async ({ principal: { token }, params }) => {
        const caller = await accountData.ensure(callerOf(token, 'PSP_AI'));
        const found = await selectTransaction(db, { caller, ...params });
        if (found === undefined) throw transactionUnknown();
        return found;
      },
      answers: {
        200: { description: 'The transaction.', json: transactionDetailAnswer, example: detailExample },
      },
      handler: async ({ params: { accountId }, resource, language }) => ({
        status: 200,
        language,
        json: detailToWire({ accountId, language }, resource),
      }),
    }),
  ];
}
