import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, memoryMb, percentile, spread } from './figures.ts';
import { CONNECTIONS, latenciesOfWindow, type Target, throughput, WINDOW_MS } from './throughput.ts';

const ROUNDS = 5;
const GOAL = 0.9;

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
    // The same request: what its bytes cost whoever sends them is not the service's.
    const baseline: Target = { origin: `http://127.0.0.1:${port}`, method: 'GET', path: '/', headers };
    const bareText = await until(async () => (await fetch(baseline.origin)).text(), {
      what: 'the bare server',
      timeout: 60_000,
    });
    const withoutCursor = page.text.replace(/"nextCursor":"[^"]*",/, '');
    if (bareText !== withoutCursor) throw new Error('the bare server answers something else');

    const measured: Target = {
      origin: service.origin,
      method: 'GET',
      path: `/v2/accounts/${page.id}/transactions?limit=100`,
      headers,
    };
    await measure({
      measured,
      baseline,
      service: service.process.pid,
      bare: bare.pid!,
      bytes: page.text.length,
    });
  } finally {
    bare?.kill('SIGKILL');
    await bank.close();
  }
}

interface Sides {
  measured: Target;
  baseline: Target;
  /** Process ids. */
  service: number;
  bare: number;
  /** Of a page. */
  bytes: number;
}

/** Both in turn, round by round. */
async function measure(sides: Sides): Promise<void> {
  const { measured, baseline, service, bare } = sides;
  await throughput(measured);
  await throughput(baseline);
  const figures = {
    service: [] as number[],
    bare: [] as number[],
    cpu: [] as number[],
    bareCpu: [] as number[],
    milliseconds: [] as number[],
  };
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuSeconds(service);
    const answers = await latenciesOfWindow(measured);
    const rate = answers.length / (WINDOW_MS / 1_000);
    figures.milliseconds.push(...answers);
    figures.service.push(rate);
    figures.cpu.push(((cpuSeconds(service) - before) * 1_000) / ((rate * WINDOW_MS) / 1_000));
    const bareBefore = cpuSeconds(bare);
    const bareRate = await throughput(baseline);
    figures.bare.push(bareRate);
    figures.bareCpu.push(((cpuSeconds(bare) - bareBefore) * 1_000) / ((bareRate * WINDOW_MS) / 1_000));
  }
  const large = await latenciesOfWindow({
    ...measured,
    path: measured.path.replace('limit=100', 'limit=500'),
  });
  tell(sides, { ...figures, large });
}

function tell(
  { service, bytes }: Sides,
  figures: Record<'service' | 'bare' | 'cpu' | 'bareCpu' | 'milliseconds' | 'large', readonly number[]>,
): void {
  const { large } = figures;
  const ratios = figures.service.map((figure, round) => figure / figures.bare[round]!);
  console.log(`  page of 100 posted transactions, ${bytes} bytes, ${CONNECTIONS} connections`);
  console.log(`  service         ${spread(figures.service)} requests/s`);
  console.log(`  service         ${spread(figures.cpu, 2)} CPU-ms a request, whatever else runs`);
  console.log(`  service         ${memoryMb(service).resident.toFixed(0)} MB resident under load`);
  console.log(
    `  service         p50 ${percentile(figures.milliseconds, 50).toFixed(1)} ms, p99 ${percentile(figures.milliseconds, 99).toFixed(1)} ms`,
  );
  console.log(
    `  page of 500     ${(large.length / (WINDOW_MS / 1_000)).toFixed(0)} requests/s; p50 ${percentile(large, 50).toFixed(1)} ms, p99 ${percentile(large, 99).toFixed(1)} ms`,
  );
  const cpuRatios = figures.cpu.map((figure, round) => figures.bareCpu[round]! / figure);
  console.log(
    `  bare http + pg  ${spread(figures.bare)} requests/s, ${spread(figures.bareCpu, 2)} CPU-ms a request`,
  );
  console.log(`  ratio of CPU    ${spread(cpuRatios, 2)}, of the two processes alone`);
  console.log(
    `  ratio           ${spread(ratios, 2)}; goal ${GOAL}: ${median(ratios) >= GOAL ? 'met' : 'missed'}`,
  );
}
