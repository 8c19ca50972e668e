// The least that can answer the same page: node:http or Express, one pg pool, the query and JSON of the service, and no
// check of the caller.
import { createServer } from 'node:http';
import { openPool } from '@kontoport/database';
import express from 'express';
import type { PresentCaller } from '../../../services/account-information/src/accounts/account.model.ts';
import { selectTransactionPage } from '../../../services/account-information/src/transactions/transaction.repository.ts';
import { pageToWire } from '../../../services/account-information/src/transactions/transaction.wire.ts';

const { KIND, DATABASE_URL, PORT, CLIENT_ID, ACCOUNT_ID } = process.env as Record<string, string>;
const pool = openPool({ url: DATABASE_URL!, applicationName: 'bare-page-server' });
const limit = 100;

async function page(): Promise<string> {
  const found = await selectTransactionPage(pool, {
    // The bench has made the account.
    caller: { clientId: CLIENT_ID!, role: 'PSP_AI' } as PresentCaller,
    accountId: ACCOUNT_ID!,
    from: undefined,
    to: undefined,
    after: undefined,
    rows: limit + 1,
  });
  return JSON.stringify(
    pageToWire(
      { accountId: ACCOUNT_ID!, language: 'en', request: { limit } },
      { ...found!, posted: found!.posted.slice(0, limit) },
    ),
  );
}

const withHttp = (): ReturnType<typeof createServer> =>
  createServer((_request, response) => {
    void page().then((body) =>
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body),
    );
  });

const withExpress = (): ReturnType<typeof createServer> =>
  createServer(
    express().get('/', async (_request, response) => {
      response.type('json').send(await page());
    }),
  );

(KIND === 'express' ? withExpress() : withHttp()).listen(Number(PORT), '127.0.0.1');
