import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, spread } from './figures.ts';
import { CONNECTIONS, type Target, throughput, WINDOW_MS } from './throughput.ts';

const ROUNDS = 5;

/** Client credentials at auth, the check of the secret over gRPC included, against the bare server beside it. */
export async function benchTokens(): Promise<void> {
  const bank = await openBank();
  let bare: ChildProcess | undefined;
  try {
    const userPort = await freePort();
    const auth = await bank.start('auth', await bank.database('auth'), {
      USER_PORT: String(userPort),
      PAYMENTS_GRPC: 'localhost:1',
    });
    const tpp = await bank.peers.addTpp();
    const credentials = Buffer.from(`${tpp.clientId}:${tpp.clientSecret}`).toString('base64');
    const measured: Target = {
      origin: auth.origin,
      method: 'POST',
      path: '/oauth2/token',
      headers: {
        ...tpp.certificateHeaders,
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    };
    const port = await freePort();
    bare = spawn(process.execPath, [join(import.meta.dirname, 'bare-token-server.ts')], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const baseline: Target = { ...measured, origin: `http://127.0.0.1:${port}` };
    await until(async () => (await fetch(baseline.origin)).ok, { what: 'the bare server' });
    await throughput(measured);
    await throughput(baseline);
    const figures = { auth: [] as number[], bare: [] as number[] };
    const cpu: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = cpuSeconds(auth.process.pid);
      const perSecond = await throughput(measured);
      figures.auth.push(perSecond);
      cpu.push(((cpuSeconds(auth.process.pid) - before) * 1e6) / ((perSecond * WINDOW_MS) / 1_000));
      figures.bare.push(await throughput(baseline));
    }
    const ratios = figures.auth.map((figure, round) => figure / figures.bare[round]!);
    console.log(`  client credentials, ${CONNECTIONS} connections`);
    console.log(
      `  auth                ${spread(figures.auth)} tokens/s, ${spread(cpu)} µs of its processor each`,
    );
    console.log(`  bare http + ES256   ${spread(figures.bare)} tokens/s`);
    console.log(`  ratio               ${spread(ratios, 2)}`);
  } finally {
    bare?.kill('SIGKILL');
    await bank.close();
  }
}
