import { fork } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { type Bank, openBank, postgresPid } from './bank.ts';
import { cpuSeconds, familySeconds, type Figure, inTurns, type Options, ratios } from './harness.ts';
import { send, startServer, type Target } from './load.ts';

/** Short, so that other work of the machine meets all alike. */
const TURN = 15_000;
/** After this number of answers the code is compiled. */
const WARM_UP = 15_000;
const CHART_SHARE = '0.1';

/** An issuer of tokens, and the processor seconds of all its processes so far. */
interface Issuer {
  target: Target;
  used: () => number;
}

/**
 * Certificate-bound tokens (ES256) by client credentials: auth with registration and PostgreSQL beside oidc-provider,
 * which keeps everything in memory and the secret unhashed. With `tracing` also auth with a collector beside auth without.
 */
export async function benchTokens({ rounds, tracing }: Options): Promise<Figure[]> {
  const bank = await openBank();
  const stops: (() => void)[] = [];
  try {
    const client = await registeredClient(bank);
    const ours = await startAuth(bank, client);
    const { origin, pid, stop } = await startServer('oidc-provider-server.mjs', {
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret,
      CERTIFICATE: new X509Certificate(client.qwac.chain[0]!).toString(),
    });
    stops.push(stop);
    const theirs = { target: { ...ours.target, origin, path: '/token' }, used: () => cpuSeconds(pid) };
    const [our = [], their = []] = await perCpuSecond([ours, theirs], rounds);
    const figures: Figure[] = [
      { what: 'tokens a CPU-second: auth, registration, PostgreSQL', values: our, decimals: 0 },
      { what: 'tokens a CPU-second: oidc-provider', values: their, decimals: 0 },
      { what: 'ratio to oidc-provider', values: ratios(our, their), budget: { atLeast: 1.2 } },
    ];
    return tracing ? [...figures, ...(await tracingFigures(bank, { client, rounds }))] : figures;
  } finally {
    for (const stop of stops) stop();
    await bank.close();
  }
}

/** Sends in turn. @returns the tokens a processor second of each issuer, by round */
async function perCpuSecond(issuers: readonly Issuer[], rounds: number): Promise<number[][]> {
  for (const { target } of issuers) await send(target, WARM_UP);
  return inTurns(issuers, rounds, async ({ target, used }) => {
    const before = used();
    await send(target, TURN);
    return TURN / (used() - before);
  });
}

type Client = Awaited<ReturnType<typeof registeredClient>>;

/** Starts registration and registers a client. */
async function registeredClient(bank: Bank) {
  const databaseUrl = await bank.database('registration');
  const grpc = await freePort();
  const registrationGrpc = { REGISTRATION_GRPC: `127.0.0.1:${grpc}` };
  const registration = await bank.start('registration', databaseUrl, {
    ...registrationGrpc,
    GRPC_PORT: String(grpc),
    CLIENT_SECRET_PEPPER: randomBytes(32).toString('base64url'),
  });
  const { certificateHeaders, qwac } = await bank.peers.addTpp();
  const response = await fetch(`${registration.origin}/tpp`, {
    method: 'POST',
    headers: { ...certificateHeaders, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', roles: ['PSP_AI', 'PSP_PI'], redirectUris: ['https://tpp.test/'] }),
  });
  const { clientId, clientSecret } = (await response.json()) as { clientId: string; clientSecret: string };
  return {
    clientId,
    clientSecret,
    qwac,
    certificateHeaders,
    registrationGrpc,
    registrationPid: registration.pid,
    postgres: await postgresPid(databaseUrl),
    authDatabase: await bank.database('auth'),
  };
}

async function startAuth(bank: Bank, client: Client, more: Record<string, string> = {}): Promise<Issuer> {
  const { clientId, clientSecret, certificateHeaders } = client;
  const { origin, pid } = await bank.start('auth', client.authDatabase, {
    ...client.registrationGrpc,
    USER_PORT: String(await freePort()),
    PAYMENTS_GRPC: 'localhost:1',
    ACCOUNTS_GRPC: 'localhost:1',
    USER_URL: 'https://user.bank.test',
    ...more,
  });
  const target: Target = {
    origin,
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
    cpuSeconds(pid) + cpuSeconds(client.registrationPid) + familySeconds(client.postgres);
  return { target, used };
}

/** The cost of a token with a collector, beside one without. */
async function tracingFigures(
  bank: Bank,
  { client, rounds }: { client: Client; rounds: number },
): Promise<Figure[]> {
  const collector = fork(join(import.meta.dirname, 'otlp-receiver.ts'));
  try {
    const [{ port }] = (await once(collector, 'message')) as [{ port: number }];
    const traced = (share: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    });
    const auths = [];
    for (const env of [{}, traced(CHART_SHARE), traced('1')]) auths.push(await startAuth(bank, client, env));
    const [without = [], chart = [], all = []] = await perCpuSecond(auths, rounds);
    collector.send('bytes');
    const [{ bytes }] = (await once(collector, 'message')) as [{ bytes: number }];
    if (bytes === 0) throw new Error('the collector got no trace');
    return [
      {
        what: `a token's CPU, ${Number(CHART_SHARE) * 100} % of the traces, to none`,
        values: ratios(without, chart),
        budget: { atMost: 1.5 },
      },
      { what: "a token's CPU, all traces, to none", values: ratios(without, all), budget: { atMost: 2 } },
    ];
  } finally {
    collector.kill();
  }
}
