import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { type AccountData, accountUnknown, callerOf } from '../accounts/account.model.ts';
import { requireAccount } from '../accounts/account.repository.ts';
import type { Db } from '../gen/db.ts';
import { pageQuery } from './page-request.wire.ts';
import { readTransactionPage } from './read-transaction-page.ts';
import { pageExample, pageToWire, transactionsAnswerV2 } from './transaction.wire.ts';

/** `GET /v2/accounts/{accountId}/transactions` (§4.3). */
export function transactionsV2Routes(
  deps: { accountData: AccountData; db: Db } & Parameters<typeof readTransactionPage>[0],
): Route[] {
  const { accountData, db } = deps;
  return [
    route({
      method: 'GET',
      path: '/v2/accounts/:accountId/transactions',
      clause: ['§4.3', '§2.8', '§9.1'],
      summary: 'List the transactions of an account: all pending ones, and the posted ones in pages',
      description:
        'The first request has no cursor. As long as an answer has nextCursor, the next request repeats from, ' +
        'to and limit and sends it as cursor. Pages do not overlap.',
      security: { kind: 'token', scope: 'PSP_AI', tokenRefusal: 403 },
      params: z.object({ accountId: uuid }),
      unknown: accountUnknown,
      exists: async ({ principal: { token }, params: { accountId } }) =>
        requireAccount(db, await accountData.ensure(callerOf(token, 'PSP_AI')), accountId),
      query: pageQuery,
      answers: {
        200: { description: 'A page.', json: transactionsAnswerV2, example: pageExample },
      },
      refusals: ['CURSOR_INVALID'],
      handler: async ({ principal: { token }, params: { accountId }, query: request, language }) => {
        const caller = await accountData.ensure(callerOf(token, 'PSP_AI'));
        const page = await readTransactionPage(deps, { caller, accountId, request });
        return { status: 200, language, json: pageToWire({ accountId, language, request }, page) };
      },
    }),
  ];
}
