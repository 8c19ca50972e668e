import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, memoryMb, percentile, spread } from './figures.ts';
import { CONNECTIONS, latenciesOf, type Target } from './throughput.ts';

const ROUNDS = 20;
/** Requests of a turn: short, so that what else the machine does meets both alike. */
const TURN = 2_000;
const WARM_UP = 6_000;
const LARGE = 500;
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

/** What one side did in its turns: requests a second, CPU-ms a request, and the milliseconds of each request. */
interface Turns {
  rates: number[];
  cpu: number[];
  milliseconds: number[];
}

/** Both in turn, every other round backwards. */
async function measure(sides: Sides): Promise<void> {
  const { measured, baseline, service, bare } = sides;
  const turns = (): Turns => ({ rates: [], cpu: [], milliseconds: [] });
  const ours = { target: measured, pid: service, ...turns() };
  const theirs = { target: baseline, pid: bare, ...turns() };
  for (const { target } of [ours, theirs]) await latenciesOf(target, WARM_UP);
  for (let round = 0; round < ROUNDS; round++)
    for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      const [before, started] = [cpuSeconds(side.pid), performance.now()];
      side.milliseconds.push(...(await latenciesOf(side.target, TURN)));
      side.rates.push(TURN / ((performance.now() - started) / 1_000));
      side.cpu.push(((cpuSeconds(side.pid) - before) / TURN) * 1_000);
    }
  const path = measured.path.replace('limit=100', 'limit=500');
  const started = performance.now();
  const large = await latenciesOf({ ...measured, path }, LARGE);
  tell(sides, {
    ours,
    theirs,
    large: { milliseconds: large, rate: LARGE / ((performance.now() - started) / 1_000) },
  });
}

function tell(
  { service, bytes }: Sides,
  figures: { ours: Turns; theirs: Turns; large: { milliseconds: number[]; rate: number } },
): void {
  const { ours, theirs, large } = figures;
  const latency = (milliseconds: readonly number[]): string =>
    `p50 ${percentile(milliseconds, 50).toFixed(1)} ms, p99 ${percentile(milliseconds, 99).toFixed(1)} ms`;
  const ratios = ours.rates.map((rate, round) => rate / theirs.rates[round]!);
  const cpuRatios = ours.cpu.map((cpu, round) => theirs.cpu[round]! / cpu);
  console.log(
    `  page of 100 posted transactions, ${bytes} bytes, ${CONNECTIONS} connections, ${ROUNDS} rounds`,
  );
  console.log(`  service         ${spread(ours.rates)} requests/s, ${spread(ours.cpu, 2)} CPU-ms a request`);
  console.log(
    `  service         ${latency(ours.milliseconds)}; ${memoryMb(service).resident.toFixed(0)} MB resident under load`,
  );
  console.log(`  page of 500     ${large.rate.toFixed(0)} requests/s; ${latency(large.milliseconds)}`);
  console.log(
    `  bare http + pg  ${spread(theirs.rates)} requests/s, ${spread(theirs.cpu, 2)} CPU-ms a request; ${latency(theirs.milliseconds)}`,
  );
  console.log(`  ratio of CPU    ${spread(cpuRatios, 2)}, of the two processes alone`);
  console.log(
    `  ratio           ${spread(ratios, 2)}; goal ${GOAL}: ${median(ratios) >= GOAL ? 'met' : 'missed'}`,
  );
}
