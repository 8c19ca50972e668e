import { type Route, route } from '@kontoport/gate';
import type { Db } from '../gen/db.ts';
import { type AccountData, callerOf } from './account.model.ts';
import { findAccounts } from './account.repository.ts';
import { accountsAnswer, accountsExample, accountToWire } from './account.wire.ts';

/** `GET /accounts` (§4.3). */
export function accountsRoutes(deps: { accountData: AccountData; db: Db }): Route[] {
  const { accountData, db } = deps;
  return [
    route({
      method: 'GET',
      path: '/accounts',
      clause: ['§4.3', '§2.2', '§5.4'],
      summary: "List the accounts of the client's consents",
      description: 'Without any consent the list is empty.',
      security: { kind: 'token', scope: 'PSP_AI' },
      answers: { 200: { description: 'The accounts.', json: accountsAnswer, example: accountsExample } },
      handler: async ({ principal: { token } }) => {
        const caller = await accountData.ensure(callerOf(token, 'PSP_AI'));
        const accounts = await findAccounts(db, caller);
        return { status: 200, json: { accounts: accounts.map(accountToWire) } };
      },
    }),
  ];
}
