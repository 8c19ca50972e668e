import { type Route, route } from '@kontoport/gate';
import type { AccountData } from '../account-data/account-data.ts';
import type { PrismaClient } from '../gen/prisma/client.ts';
import { jsonReply } from '../json-reply.ts';
import { findAccounts } from './account.repository.ts';
import { accountJson } from './account.wire.ts';

/** `GET /accounts` (specification §4.3). */
export function accountsRoutes(deps: { accountData: AccountData; prisma: PrismaClient }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/accounts',
      security: { kind: 'token', scope: 'PSP_AI' },
      async handler({ proven: { token } }) {
        await deps.accountData.ensure(token.clientId);
        const accounts = await findAccounts(deps.prisma, token);
        return jsonReply(`{"accounts":[${accounts.map(accountJson).join(',')}]}`);
      },
    }),
  ];
}
