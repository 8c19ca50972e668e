import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openPool } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { TestQwac } from '@kontoport/testing/qwac';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, familySeconds, parentOf, spread } from './figures.ts';
import { CONNECTIONS, latenciesOf, type Target } from './throughput.ts';

const ROUNDS = 15;
/** Answers of a turn: short, so that what else the machine does meets all alike. */
const TURN = 1_500;
/** Answers after which each has been compiled as far as it will be. */
const WARM_UP = 20_000;

type Bank = Awaited<ReturnType<typeof openBank>>;

/** Who gives out tokens, and the processor seconds that all its processes have used so far. */
interface Issuer {
  name: string;
  target: Target;
  used: () => number;
}

/**
 * Certificate-bound tokens by client credentials: auth with registration and PostgreSQL, the secret stored as an HMAC, beside
 * oidc-provider, which keeps everything in memory and the secret as it is, and the least that could give out the same token.
 */
export async function benchTokens(): Promise<void> {
  const bank = await openBank();
  const stops: (() => void)[] = [];
  try {
    const { clientId, clientSecret, qwac, ours } = await ourIssuer(bank);
    const beside = async (name: string, file: string, path: string): Promise<Issuer> => {
      const port = await freePort();
      const env = {
        PATH: process.env.PATH,
        PORT: String(port),
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        CERTIFICATE: pem(qwac.chain[0]!),
      };
      const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      stops.push(() => child.kill('SIGKILL'));
      const origin = `http://127.0.0.1:${port}`;
      await until(async () => (await fetch(origin)).status > 0, { what: name });
      return { name, target: { ...ours.target, origin, path }, used: () => cpuSeconds(child.pid!) };
    };
    const issuers = [
      ours,
      await beside('oidc-provider', 'oidc-provider-server.mjs', '/token'),
      await beside('bare http + ES256', 'bare-token-server.ts', '/'),
    ];
    for (const { target } of issuers) await latenciesOf(target, WARM_UP);
    const figures = issuers.map(() => ({
      perCpuSecond: [] as number[],
      perSecond: [] as number[],
      p99: [] as number[],
    }));
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, { target, used }] of issuers.entries()) {
        const [before, started] = [used(), performance.now()];
        const sorted = (await latenciesOf(target, TURN)).toSorted((a, b) => a - b);
        const seconds = (performance.now() - started) / 1_000;
        figures[i]!.perCpuSecond.push(sorted.length / (used() - before));
        figures[i]!.perSecond.push(sorted.length / seconds);
        figures[i]!.p99.push(sorted[Math.floor(sorted.length * 0.99)]!);
      }
    console.log(`  client credentials, ${CONNECTIONS} connections`);
    for (const [i, { name }] of issuers.entries()) {
      const { perCpuSecond, perSecond, p99 } = figures[i]!;
      console.log(
        `  ${name.padEnd(32)} ${spread(perCpuSecond)} tokens per CPU-s, ${spread(perSecond)}/s, p99 ${spread(p99, 1)} ms`,
      );
      const ratios = figures[0]!.perCpuSecond.map((figure, round) => figure / perCpuSecond[round]!);
      if (i > 0) console.log(`  ${'ratio to it'.padEnd(32)} ${spread(ratios, 2)}`);
    }
  } finally {
    for (const stop of stops) stop();
    await bank.close();
  }
}

/** Auth and registration as processes, and a client that has registered. */
async function ourIssuer(bank: Bank): Promise<{
  clientId: string;
  clientSecret: string;
  qwac: TestQwac;
  ours: Issuer;
}> {
  const databaseUrl = await bank.database('registration');
  const grpc = await freePort();
  const registrationGrpc = { REGISTRATION_GRPC: `127.0.0.1:${grpc}` };
  const registration = await bank.start('registration', databaseUrl, {
    ...registrationGrpc,
    GRPC_PORT: String(grpc),
    CLIENT_SECRET_PEPPER: randomBytes(32).toString('base64url'),
  });
  const auth = await bank.start('auth', await bank.database('auth'), {
    ...registrationGrpc,
    USER_PORT: String(await freePort()),
    PAYMENTS_GRPC: 'localhost:1',
    ACCOUNTS_GRPC: 'localhost:1',
    USER_URL: 'https://user.bank.test',
  });
  const { certificateHeaders, qwac } = await bank.peers.addTpp();
  const registered = await fetch(`${registration.origin}/tpp`, {
    method: 'POST',
    headers: { ...certificateHeaders, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', roles: ['PSP_AI', 'PSP_PI'], redirectUris: ['https://tpp.test/'] }),
  });
  const { clientId, clientSecret } = (await registered.json()) as { clientId: string; clientSecret: string };
  const pool = openPool({ url: databaseUrl, applicationName: 'bench' });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = parentOf(rows[0]!.pid);
  await pool.end();
  const target: Target = {
    origin: auth.origin,
    method: 'POST',
    path: '/oauth2/token',
    headers: {
      ...certificateHeaders,
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  };
  const used = (): number =>
    cpuSeconds(auth.process.pid) + cpuSeconds(registration.process.pid) + familySeconds(server);
  return { clientId, clientSecret, qwac, ours: { name: 'auth, registration, PostgreSQL', target, used } };
}

function pem(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
