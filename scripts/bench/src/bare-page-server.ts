// The least that can answer the same question: node:http, one pg pool, the service's own query and JSON, no proof of the caller.
import { createServer } from 'node:http';
import { openPool } from '@kontoport/database';
import type { PresentCaller } from '../../../services/account-information/src/accounts/account.model.ts';
import { selectTransactionPage } from '../../../services/account-information/src/transactions/transaction.repository.ts';
import { pageToWire } from '../../../services/account-information/src/transactions/transaction.wire.ts';

const { DATABASE_URL, PORT, CLIENT_ID, ACCOUNT_ID } = process.env as Record<string, string>;
const pool = openPool({ url: DATABASE_URL!, applicationName: 'bare-page-server' });
const limit = 100;

createServer((_request, response) => {
  void selectTransactionPage(pool, {
    // The bench has made the account.
    caller: { clientId: CLIENT_ID!, role: 'PSP_AI' } as PresentCaller,
    accountId: ACCOUNT_ID!,
    from: undefined,
    to: undefined,
    after: undefined,
    rows: limit + 1,
  }).then((page) => {
    const body = JSON.stringify(
      pageToWire(
        { accountId: ACCOUNT_ID!, language: 'en', request: { limit } },
        { ...page!, posted: page!.posted.slice(0, limit) },
      ),
    );
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body);
  });
}).listen(Number(PORT), '127.0.0.1');
