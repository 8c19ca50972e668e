import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { openPool } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { createClient } from '@kontoport/grpc';
import {
  ClientDirectoryServiceClient,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import { edgeHeaders, type Peers } from '@kontoport/testing/peers';
import { testQwac } from '@kontoport/testing/qwac';
import { insertClients } from '@kontoport/testing/registered-clients';
import type { ServiceProcess } from '@kontoport/testing/service-process';
import { openBank } from './bench-bank.ts';

const CLIENTS = 100_000;
const BATCH = 2_000;
const WATCHERS = 12;
const ROUNDS = 300;
const AT_ONCE = 8;
const TPPS = 20;

type Bank = Awaited<ReturnType<typeof openBank>>;
type Tpp = Awaited<ReturnType<typeof newTpp>>;

/** Registering and deleting while registration holds many clients, against one that holds none: two replicas, many watchers. */
export async function benchRegistration(): Promise<void> {
  const bank = await openBank();
  try {
    console.log(`  two replicas, ${WATCHERS} watchers; milliseconds, ${ROUNDS} calls each`);
    const url = await bank.database('registration');
    const empty = await measure(bank, url, 'no clients');
    const sql = openPool({ url, applicationName: 'bench' });
    for (let done = 0; done < CLIENTS; done += BATCH) await insertClients(sql, { count: BATCH });
    const full = await measure(bank, url, `${CLIENTS} clients`);
    for (const call of ['register', 'registerAtOnce', 'remove'] as const)
      console.log(
        `  ${`${call}, ratio of p50 to it`.padEnd(34)} ${(quantile(full[call], 0.5) / quantile(empty[call], 0.5)).toFixed(2)}`,
      );
    await sql.end();
  } finally {
    await bank.close();
  }
}

type Times = Record<'register' | 'registerAtOnce' | 'remove', number[]>;

async function measure(bank: Bank, url: string, what: string): Promise<Times> {
  const pepper = randomBytes(32).toString('base64url');
  const replicas: { origin: string; process: ServiceProcess; address: string }[] = [];
  for (let i = 0; i < 2; i++) {
    const grpc = await freePort();
    const { origin, process } = await bank.start('registration', url, {
      GRPC_PORT: String(grpc),
      REGISTRATION_GRPC: `127.0.0.1:${grpc}`,
      CLIENT_SECRET_PEPPER: pepper,
      REGISTRATIONS_PER_MINUTE: '1000000',
      REGISTRATION_BURST: '1000000',
    });
    replicas.push({ origin, process, address: `127.0.0.1:${grpc}` });
  }
  const watchers = [];
  for (let i = 0; i < WATCHERS; i++) watchers.push(await watch(replicas[i % replicas.length]!.address));
  const tpps = await Promise.all(Array.from({ length: TPPS }, () => newTpp(bank.peers)));
  const clients: { clientId: string; tpp: Tpp }[] = [];
  const register = async (i: number): Promise<number> => {
    const tpp = tpps[i % TPPS]!;
    const started = performance.now();
    const { status, body } = await ask('POST', `${replicas[i % replicas.length]!.origin}/tpp`, {
      headers: { ...tpp.headers, 'x-request-id': randomUUID() },
      body: { name: 'Bench', roles: ['PSP_AI'], redirectUris: ['https://tpp.example/callback'] },
    });
    if (status !== 201) throw new Error(`POST /tpp was answered with ${status}: ${JSON.stringify(body)}`);
    const milliseconds = performance.now() - started;
    clients.push({ clientId: String(body.clientId), tpp });
    return milliseconds;
  };
  const times: Times = { register: [], registerAtOnce: [], remove: [] };
  for (let i = 0; i < ROUNDS; i++) times.register.push(await register(i));
  for (let i = 0; i < ROUNDS; i += AT_ONCE)
    times.registerAtOnce.push(
      ...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => register(i + at)))),
    );
  for (const [i, { clientId, tpp }] of clients.slice(0, ROUNDS).entries()) {
    const headers = await tpp.ownerOf(clientId);
    const started = performance.now();
    const { status } = await ask('DELETE', `${replicas[i % replicas.length]!.origin}/tpp/${clientId}`, {
      headers,
    });
    times.remove.push(performance.now() - started);
    const unaware = watchers.filter(({ deleted }) => !deleted.has(clientId)).length;
    if (status !== 204 || unaware > 0) throw new Error(`DELETE: ${status}, ${unaware} watchers do not know`);
  }
  print(`POST /tpp, ${what}`, times.register);
  print(`POST /tpp, ${AT_ONCE} at once, ${what}`, times.registerAtOnce);
  print(`DELETE to dead everywhere, ${what}`, times.remove);
  for (const watcher of watchers) watcher.close();
  for (const { process } of replicas) await process.kill();
  return times;
}

/** Whoever follows all changes from now on, and acknowledges them as services do. */
async function watch(address: string): Promise<{ deleted: ReadonlySet<string>; close(): void }> {
  const stub = createClient(ClientDirectoryServiceClient, address);
  const stream: ClientDuplexStream<WatchRequest, WatchResponse> = stub.watch();
  const watcherId = randomUUID();
  const deleted = new Set<string>();
  let [appliedRevision, nonce, leases] = [0n, 0n, 0];
  const say = (): void =>
    void stream.write({ watcherId, service: 'bench', appliedRevision, nonce: ++nonce, leaving: false });
  stream.on('error', () => {});
  stream.on('data', ({ message }: WatchResponse) => {
    if (message?.$case === 'part') {
      appliedRevision = message.value.revision;
      for (const client of message.value.clients) if (client.deleted) deleted.add(client.clientId);
    }
    if (message?.$case === 'heartbeat' && message.value.nonce > 0n) leases += 1;
    say();
  });
  say();
  await until(() => leases > 0, { what: 'the watcher knows all clients', timeout: 60_000 });
  return {
    deleted,
    close() {
      stream.cancel();
      stub.close();
    },
  };
}

async function newTpp({ issuing, token }: Peers) {
  const qwac = await testQwac({
    issuer: issuing,
    organizationName: 'Bench ApS',
    organizationIdentifier: `PSDDK-DFSA-${randomBytes(4).toString('hex')}`,
  });
  const thumbprint = createHash('sha256').update(qwac.chain[0]!).digest('base64url');
  const headers = { ...edgeHeaders(qwac.chain), 'content-type': 'application/json' };
  return {
    headers,
    async ownerOf(clientId: string): Promise<Record<string, string>> {
      const bearer = await token({ clientId, thumbprint, scope: 'PSP_AI' });
      return { ...edgeHeaders(qwac.chain), authorization: `Bearer ${bearer}` };
    },
  };
}

const quantile = (figures: readonly number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))]!;

function print(what: string, figures: readonly number[]): void {
  const of = (share: number): string => quantile(figures, share).toFixed(1);
  console.log(`  ${what.padEnd(52)} p50 ${of(0.5)}, p99 ${of(0.99)}, longest ${of(1)}`);
}
