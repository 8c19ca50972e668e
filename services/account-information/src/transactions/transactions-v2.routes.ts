import { type Route, route } from '@kontoport/gate';
import { z } from 'zod';
import type { AccountData } from '../account-data/account-data.ts';
import { unknownAccount } from '../accounts/unknown-account.ts';
import { jsonReply } from '../json-reply.ts';
import { pageRequest } from './page-request.wire.ts';
import { readTransactionPage } from './read-transaction-page.ts';
import { transactionsResponseV2 } from './transaction.wire.ts';

const uuid = z.guid();

/** `GET /v2/accounts/{accountId}/transactions` (specification §4.3). */
export function transactionsV2Routes(
  deps: { accountData: AccountData } & Parameters<typeof readTransactionPage>[0],
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/accounts/:accountId/transactions',
      security: { kind: 'token', scope: 'PSP_AI', tokenRefusal: 403 },
      query: pageRequest,
      async handler({ proven: { token }, params, query: request }) {
        const id = uuid.safeParse(params.accountId);
        if (!id.success) throw unknownAccount();
        const accountId = id.data.toLowerCase();
        await deps.accountData.ensure(token.clientId);
        const page = await readTransactionPage(deps, { caller: token, accountId, request });
        return jsonReply(transactionsResponseV2(accountId, request, page));
      },
    }),
  ];
}
