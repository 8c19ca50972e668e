import { randomBytes } from 'node:crypto';
import { unseal } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { defineService, type InProcess, type Service, startInProcess } from '@kontoport/service';
import { type Answer, ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { openDeps } from '../src/deps.ts';
import { type AuthorizationKeys, authorizationKeys } from '../src/domain/authorization-keys.model.ts';
import { auth } from '../src/service.ts';
import type { UserAuthentication } from '../src/user-session/user-authentication.ts';
import { startTestPayments } from './test-payments.ts';

/** No server listens on this port: every call that needs a consent is 503. */
const NOBODY = '127.0.0.1:1';

/** The base of the pages, as browsers would reach it. */
export const USER_URL = 'https://user.bank.test';

/** Auth with this user authentication. */
export function authWith(authentication: () => UserAuthentication) {
  const adapters = { userAuthentication: authentication };
  const table = { sandbox: adapters, production: adapters };
  return defineService({ name: 'auth', config, adapters: table, open: openDeps, app });
}

/** Starts account-information in this environment on its own database, for the consents of the bank's users. */
async function startAccounts(peers: FakePeers, environment: 'sandbox' | 'production') {
  const database = await testDatabase('account-information');
  const [grpcPort, opsPort] = [await freePort(), await freePort()];
  const service = startServiceProcess({
    service: 'account-information',
    env: {
      ...peers.env,
      ENVIRONMENT: environment,
      GRPC_PORT: String(grpcPort),
      OPS_PORT: String(opsPort),
      DATABASE_URL: database.url,
      // Events wait in the outbox. No test here reads them.
      KAFKA_BROKERS: NOBODY,
      SECRETS_KEY: randomBytes(32).toString('base64url'),
    },
  });
  await service.ready();
  return {
    address: `127.0.0.1:${grpcPort}`,
    database,
    async close() {
      await service.kill();
      await database.drop();
    },
  };
}

/** Prepares auth's peers, database and payments; with `accounts` also account-information, in that environment. */
export async function surroundAuth(options: { accounts?: 'sandbox' | 'production' } = {}) {
  const peers: FakePeers = await startFakePeers();
  const database = await testDatabase('auth');
  const payments = await startTestPayments();
  const accounts = options.accounts && (await startAccounts(peers, options.accounts));
  const env: Record<string, string> = {
    ...peers.env,
    USER_PORT: '0',
    DATABASE_URL: database.url,
    USER_URL,
    PAYMENTS_GRPC: payments.address,
    ACCOUNTS_GRPC: accounts?.address ?? NOBODY,
    SECRETS_KEY: randomBytes(32).toString('base64url'),
  };
  const running: InProcess<unknown>[] = [];
  return {
    peers,
    database,
    payments,
    accounts,
    env,
    /** Starts one replica; `changed` replaces variables. */
    async start(changed: Record<string, string> = {}, replica: Service = auth) {
      const service = await startInProcess(replica, { ...env, ...changed });
      running.push(service);
      const { addresses, opsPort, close } = service;
      return {
        origin: addresses.auth_url!,
        userOrigin: addresses.user_url!,
        addresses,
        ops: `http://127.0.0.1:${opsPort}`,
        close,
      };
    },
    async close() {
      for (const service of running) await service.close();
      await payments.close();
      await accounts?.close();
      await peers.close();
      await database.drop();
    },
  };
}

/** Runs a statement in a database of the tests. */
export async function sql<Row extends object>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const pool = openTestPool(url);
  try {
    return (await pool.query<Row>(statement, values)).rows;
  } finally {
    await pool.end();
  }
}

/** Derives the keys of authorizations from the stored root, as a started replica does. */
export async function authorizationKeysOf({
  env,
  database,
}: Pick<Surroundings, 'env' | 'database'>): Promise<AuthorizationKeys> {
  const [root] = await sql<{ sealed: Buffer }>(database.url, 'SELECT sealed FROM root_key');
  return authorizationKeys(unseal(Buffer.from(env.SECRETS_KEY!, 'base64url'), root!.sealed, 'root-key'));
}

/** Counts the rows of a table. */
export async function countOf(url: string, table: string): Promise<number> {
  return Number((await sql<{ count: string }>(url, `SELECT count(*) FROM ${table}`))[0]?.count);
}

export type Surroundings = Awaited<ReturnType<typeof surroundAuth>>;

/** The HTTP Basic header of a client. */
export function basic(clientId: string, clientSecret: string): string {
  const text = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

/** The headers of a token request. */
export function tokenHeaders(tpp: TestTpp): Record<string, string> {
  return { ...tpp.certificateHeaders, authorization: basic(tpp.clientId, tpp.clientSecret) };
}

/** Requests a token. */
export function requestToken(
  origin: string,
  headers: Record<string, string>,
  form: Record<string, string> | string = { grant_type: 'client_credentials' },
): Promise<Answer> {
  return ask('POST', `${origin}/oauth2/token`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
}
