import { randomBytes } from 'node:crypto';
import { openPool } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { insertClients } from '@kontoport/testing/registered-clients';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, memoryMb, spread } from './figures.ts';

const CLIENTS = 100_000;
const TOMBSTONES = 100_000;
const REDIRECT_URIS = { redirectUris: 20, uriLength: 500 };
const BATCH = 2_000;
const RUNS = 3;

/** A service that starts while registration holds many clients at their limits, against one that starts with none. */
export async function benchDirectory(): Promise<void> {
  const bank = await openBank();
  try {
    const payments = async (registrationGrpc: string) => {
      const before = performance.now();
      const { process } = await bank.start('payments', 'postgres://unused', {
        REGISTRATION_GRPC: registrationGrpc,
        ACCOUNTS_GRPC: 'localhost:1',
        USER_URL: 'http://localhost:1',
      });
      const seconds = (performance.now() - before) / 1_000;
      const figures = { seconds, cpu: cpuSeconds(process.pid), memory: memoryMb(process.pid).resident };
      return { ...figures, stop: () => process.kill() };
    };
    const databaseUrl = await bank.database('registration');
    const start = async () => {
      const grpc = await freePort();
      const before = performance.now();
      const { process } = await bank.start('registration', databaseUrl, {
        GRPC_PORT: String(grpc),
        REGISTRATION_GRPC: `127.0.0.1:${grpc}`,
        CLIENT_SECRET_PEPPER: randomBytes(32).toString('base64url'),
      });
      return { process, address: `127.0.0.1:${grpc}`, seconds: (performance.now() - before) / 1_000 };
    };
    const empty = await start();
    const baseline = await measure(RUNS, () => payments(empty.address));
    await empty.process.kill();
    await fill(databaseUrl);

    const full = await start();
    console.log(
      `  ${CLIENTS} clients with 20 redirect URIs of 10,000 characters in all, ${TOMBSTONES} tombstones`,
    );
    console.log(
      `  registration, own gate included   ready after ${full.seconds.toFixed(1)} s, ` +
        `${memoryMb(full.process.pid).resident.toFixed(0)} MB resident`,
    );
    const before = cpuSeconds(full.process.pid);
    const one = await measure(RUNS, () => payments(full.address));
    const each = (cpuSeconds(full.process.pid) - before) / RUNS;
    print('a service', one);
    console.log(`  for it, registration takes        ${each.toFixed(1)} CPU-s`);
    print('with no client', baseline);
    const ratios = one.map(({ seconds }, run) => seconds / baseline[run]!.seconds);
    console.log(`  ratio                             ${spread(ratios, 1)}`);
    const three = await Promise.all([1, 2, 3].map(() => payments(full.address)));
    print('three services at once', three);
    console.log(
      `  registration afterwards           ${memoryMb(full.process.pid).resident.toFixed(0)} MB resident`,
    );
    for (const service of three) await service.stop();
  } finally {
    await bank.close();
  }
}

interface Run {
  /** From the start of the process to ready. */
  seconds: number;
  cpu: number;
  memory: number;
  stop(): Promise<unknown>;
}

async function measure(runs: number, once: () => Promise<Run>): Promise<Run[]> {
  const figures: Run[] = [];
  for (let run = 0; run < runs; run++) {
    const figure = await once();
    await figure.stop();
    figures.push(figure);
  }
  return figures;
}

function print(what: string, runs: readonly Run[]): void {
  const of = (figure: (run: Run) => number, decimals: number): string => spread(runs.map(figure), decimals);
  console.log(
    `  ${what.padEnd(34)}ready after ${of(({ seconds }) => seconds, 1)} s; goal 10; ` +
      `${of(({ cpu }) => cpu, 1)} CPU-s, ${of(({ memory }) => memory, 0)} MB resident`,
  );
}

async function fill(url: string): Promise<void> {
  const sql = openPool({ url, applicationName: 'bench' });
  for (let done = 0; done < CLIENTS; done += BATCH)
    await insertClients(sql, { count: BATCH, ...REDIRECT_URIS });
  for (let done = 0; done < TOMBSTONES; done += BATCH)
    await insertClients(sql, { count: BATCH, deleted: true });
  await sql.end();
}
