import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, memoryMb, spread } from './figures.ts';
import { CONNECTIONS, type Target, throughput, WINDOW_MS } from './throughput.ts';

const ROUNDS = 5;

/** GET V2 page of 100, certificate header and token included, against the bare server of `bare-page-server.ts`. */
export async function benchPages(): Promise<void> {
  const bank = await openBank();
  let bare: ChildProcess | undefined;
  try {
    const url = await bank.database('account-information');
    const service = await bank.start('account-information', url);
    const tpp = await bank.peers.addTpp();
    const headers = await tpp.headers();
    const accounts = (await until(
      async () => {
        const response = await fetch(`${service.origin}/accounts`, { headers });
        return response.ok ? response.json() : undefined;
      },
      { what: 'the accounts of the new client' },
    )) as { accounts: { id: string }[] };

    const pageOf = async (id: string) => {
      const response = await fetch(`${service.origin}/v2/accounts/${id}/transactions?limit=100`, { headers });
      return { id, text: await response.text() };
    };
    const pages = await Promise.all(accounts.accounts.map(({ id }) => pageOf(id)));
    const page = pages.find(({ text }) => (JSON.parse(text) as { posted: unknown[] }).posted.length === 100);
    if (!page) throw new Error('no account has 100 posted transactions');

    const port = await freePort();
    bare = spawn(process.execPath, [join(import.meta.dirname, 'bare-page-server.ts')], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: url,
        PORT: String(port),
        CLIENT_ID: tpp.clientId,
        ACCOUNT_ID: page.id,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const baseline: Target = { origin: `http://127.0.0.1:${port}`, method: 'GET', path: '/', headers: {} };
    const bareText = await until(async () => (await fetch(baseline.origin)).text(), {
      what: 'the bare server',
    });
    const withoutCursor = page.text.replace(/"nextCursor":"[^"]*",/, '');
    if (bareText !== withoutCursor) throw new Error('the bare server answers something else');

    const measured: Target = {
      origin: service.origin,
      method: 'GET',
      path: `/v2/accounts/${page.id}/transactions?limit=100`,
      headers,
    };
    await throughput(measured);
    await throughput(baseline);
    const figures = { service: [] as number[], bare: [] as number[], cpu: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const before = cpuSeconds(service.process.pid);
      const rate = await throughput(measured);
      figures.service.push(rate);
      figures.cpu.push(((cpuSeconds(service.process.pid) - before) * 1_000) / ((rate * WINDOW_MS) / 1_000));
      figures.bare.push(await throughput(baseline));
    }
    const ratios = figures.service.map((figure, round) => figure / figures.bare[round]!);
    console.log(`  page of 100 posted transactions, ${page.text.length} bytes, ${CONNECTIONS} connections`);
    console.log(`  service         ${spread(figures.service)} requests/s`);
    console.log(`  service         ${spread(figures.cpu, 2)} CPU-ms a request, whatever else runs`);
    console.log(
      `  service         ${memoryMb(service.process.pid).resident.toFixed(0)} MB resident under load`,
    );
    console.log(`  bare http + pg  ${spread(figures.bare)} requests/s`);
    console.log(
      `  ratio           ${spread(ratios, 2)}; goal 0.5: ${median(ratios) >= 0.5 ? 'met' : 'missed'}`,
    );
  } finally {
    bare?.kill('SIGKILL');
    await bank.close();
  }
}
