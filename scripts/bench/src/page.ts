import { until } from '@kontoport/embedded/wait';
import { type Bank, openBank } from './bank.ts';
import { type Figure, inTurns, memoryMb, type Options, ratios } from './harness.ts';
import { send, startServer, type Target } from './load.ts';

/** Short, so that other work of the machine meets all alike. */
const TURN = 2_000;
const WARM_UP = 6_000;

/**
 * A page of 100 of the V2 list, certificate header and token included, beside the same query and JSON behind bare
 * node:http and behind bare Express.
 */
export async function benchPage({ rounds }: Options): Promise<Figure[]> {
  const bank = await openBank();
  const stops: (() => void)[] = [];
  try {
    const url = await bank.database('account-information');
    const service = await bank.start('account-information', url);
    const { clientId, accountId, text, target } = await fullPage(bank, service.origin);
    const bare: Target[] = [];
    for (const kind of ['http', 'express']) {
      const { origin, stop } = await startServer('bare-page-server.ts', {
        KIND: kind,
        DATABASE_URL: url,
        CLIENT_ID: clientId,
        ACCOUNT_ID: accountId,
      });
      stops.push(stop);
      if ((await (await fetch(origin)).text()) !== text.replace(/"nextCursor":"[^"]*",/, ''))
        throw new Error(`the bare ${kind} server answers something else`);
      // The same request headers: reading them is no cost of the service alone.
      bare.push({ ...target, origin, path: '/' });
    }
    const targets = [target, ...bare];
    for (const one of targets) await send(one, WARM_UP);
    const [ours = [], http = [], express = []] = await inTurns(targets, rounds, (one) => send(one, TURN));
    return [
      { what: `pages a second, ${text.length} bytes: the service`, values: ours, decimals: 0 },
      { what: 'pages a second: bare http + pg', values: http, decimals: 0 },
      { what: 'pages a second: bare Express + pg', values: express, decimals: 0 },
      { what: 'memory under load', values: [memoryMb(service.pid)], decimals: 0, unit: 'MB' },
      { what: 'ratio to bare http + pg', values: ratios(ours, http), budget: { atLeast: 0.75 } },
      { what: 'ratio to bare Express + pg', values: ratios(ours, express), budget: { atLeast: 0.9 } },
    ];
  } finally {
    for (const stop of stops) stop();
    await bank.close();
  }
}

/** A TPP and one of its accounts with 100 posted transactions. */
async function fullPage(bank: Bank, origin: string) {
  const tpp = await bank.peers.addTpp();
  const headers = await tpp.headers();
  const { accounts } = await until(
    async () => {
      const response = await fetch(`${origin}/accounts`, { headers });
      return response.ok ? ((await response.json()) as { accounts: { id: string }[] }) : undefined;
    },
    { what: 'the accounts of the new client' },
  );
  for (const { id } of accounts) {
    const target: Target = {
      origin,
      method: 'GET',
      path: `/v2/accounts/${id}/transactions?limit=100`,
      headers,
    };
    const text = await (await fetch(`${origin}${target.path}`, { headers })).text();
    if ((JSON.parse(text) as { posted: unknown[] }).posted.length === 100)
      return { clientId: tpp.clientId, accountId: id, text, target };
  }
  throw new Error('no account has 100 posted transactions');
}
