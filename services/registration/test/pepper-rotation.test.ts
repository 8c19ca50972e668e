import { randomBytes } from 'node:crypto';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import { startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { readMetrics } from '@kontoport/testing/metrics';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import { hashClientSecret, toPepper } from '../src/clients/client-secret.model.ts';
import { verifyCredentials } from '../src/credentials/verify-credentials.ts';
import type { Db } from '../src/gen/db.ts';
import { registration } from '../src/service.ts';
import {
  type RegisteredTpp,
  registerTpp,
  registrationEnv,
  type RunningRegistration,
  startBroker,
  startRegistration,
} from './running.ts';

const [OLD, NEW, OTHER] = [1, 2, 3].map(() => randomBytes(32).toString('base64url')) as [
  string,
  string,
  string,
];
const pepperOf = (key: string) => toPepper(Buffer.from(key, 'base64url'));

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let sql: pg.Pool;
let running: RunningRegistration[];

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
});

beforeEach(async () => {
  database = await testDatabase('registration');
  sql = openTestPool(database.url);
  running = [];
});

afterEach(async () => {
  for (const replica of running) await replica.close();
  await sql.end();
  await database.drop();
});

afterAll(async () => {
  await broker.stop();
  await peers.close();
});

async function start(peppers: string): Promise<RunningRegistration> {
  const env = { CLIENT_SECRET_PEPPER: peppers };
  const replica = await startRegistration({ peers, databaseUrl: database.url, broker, env });
  running.push(replica);
  return replica;
}

async function stop(replica: RunningRegistration): Promise<void> {
  running = running.filter((one) => one !== replica);
  await replica.close();
}

/** Whether a replica accepts a client's credentials. */
async function isLetIn({ grpcPort }: RunningRegistration, tpp: RegisteredTpp): Promise<boolean> {
  const stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${grpcPort}`);
  try {
    const { clientId, clientSecret, applicant } = tpp;
    const shown = { clientId, clientSecret, certificateThumbprint: applicant.thumbprint };
    return (await call(stub, stub.verify, shown)).client?.clientId === clientId;
  } finally {
    stub.close();
  }
}

/** Counts the clients whose correct secret is stored under this pepper. */
async function countUnder(key: string, tpps: readonly RegisteredTpp[]): Promise<number> {
  const { rows } = await sql.query<{ id: string; hash: Buffer; pepperId: Buffer | null }>(
    'SELECT id, secret_hash AS hash, secret_pepper_id AS "pepperId" FROM client',
  );
  return tpps.filter((tpp) => {
    const { hash, pepperId } = hashClientSecret(tpp.clientSecret, pepperOf(key));
    const row = rows.find(({ id }) => id === tpp.clientId)!;
    return row.hash.equals(hash) && row.pepperId?.equals(pepperId) === true;
  }).length;
}

/** Returns the counts in the metrics of a replica. */
async function countedBy(replica: RunningRegistration): Promise<Record<string, number>> {
  const metrics = await readMetrics(replica.opsPort);
  return Object.fromEntries(
    ['first', 'later', 'unlisted', 'unknown'].map((pepper) => [
      pepper,
      metrics.sum('kontoport_client_secrets', { pepper }),
    ]),
  );
}

describe('CLIENT_SECRET_PEPPER with several keys (§4.1)', () => {
  it('can be changed replica by replica without refusing a client, until the older key is unused', async () => {
    const up = [await start(OLD), await start(OLD)];
    const tpps = [await registerTpp(peers, up[0]!.origin), await registerTpp(peers, up[1]!.origin)];
    const refused: string[] = [];
    let [rounds, over] = [0, false];
    const asking = (async () => {
      for (; !over; rounds++)
        for (const replica of up)
          for (const tpp of tpps) if (!(await isLetIn(replica, tpp))) refused.push(tpp.clientId);
    })();
    const round = async (): Promise<void> => {
      const begun = rounds;
      await until(() => rounds > begun + 1, { what: 'everybody to be asked everywhere' });
    };
    for (const peppers of [`${OLD},${NEW}`, `${NEW},${OLD}`, NEW]) {
      for (const place of [0, 1]) {
        const before = up[place]!;
        up[place] = await start(peppers);
        tpps.push(await registerTpp(peers, up[place].origin));
        await round();
        await stop(before);
      }
      await round();
      const expected = peppers.startsWith(OLD) ? OLD : NEW;
      expect(await countUnder(expected, tpps)).toBe(tpps.length);
    }
    over = true;
    await asking;
    expect(refused).toEqual([]);
    expect(tpps).toHaveLength(8);
    expect(await countedBy(await start(NEW))).toEqual({ first: 8, later: 0, unlisted: 0, unknown: 0 });
  }, 120_000);

  it('counts the clients under the older key: without it they are refused, with it they are accepted', async () => {
    const first = await start(OLD);
    const [seen, unseen, noted] = [
      await registerTpp(peers, first.origin),
      await registerTpp(peers, first.origin),
      await registerTpp(peers, first.origin),
    ];
    await sql.query('UPDATE client SET secret_pepper_id = NULL WHERE id = $1', [noted.clientId]);
    await stop(first);

    const both = await start(`${NEW},${OLD}`);
    expect(await countedBy(both)).toEqual({ first: 0, later: 2, unlisted: 0, unknown: 1 });
    expect(await isLetIn(both, seen)).toBe(true);
    expect(await isLetIn(both, noted)).toBe(true);
    await stop(both);

    const alone = await start(NEW);
    expect(await countedBy(alone)).toEqual({ first: 2, later: 0, unlisted: 1, unknown: 0 });
    expect(await Promise.all([seen, unseen, noted].map((tpp) => isLetIn(alone, tpp)))).toEqual([
      true,
      false,
      true,
    ]);
    await stop(alone);

    const again = await start(`${NEW},${OLD}`);
    expect(await isLetIn(again, unseen)).toBe(true);
    expect(await countUnder(NEW, [seen, unseen, noted])).toBe(3);
  });

  it('stores the pepper of an older secret that has none, also with a single key', async () => {
    const replica = await start(OLD);
    const tpp = await registerTpp(peers, replica.origin);
    expect(await isLetIn(replica, tpp)).toBe(true);
    await sql.query('UPDATE client SET secret_pepper_id = NULL');
    expect(await isLetIn(replica, tpp)).toBe(true);
    expect(await countUnder(OLD, [tpp])).toBe(1);
  });

  it('does not match a database whose secrets are all under another key: the replica is not ready', async () => {
    await registerTpp(peers, (await start(OLD)).origin);
    const env = registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort: await freePort() });
    const wrong = await startInProcess(registration, { ...env, CLIENT_SECRET_PEPPER: OTHER });
    try {
      const reasons = await until(
        async () => {
          const said = await (await fetch(`http://127.0.0.1:${wrong.opsPort}/readyz`)).text();
          return said.includes('CLIENT_SECRET_PEPPER') && said;
        },
        { what: 'the secrets to be counted' },
      );
      expect(reasons).toContain('CLIENT_SECRET_PEPPER is not what the secrets of clients are under');
    } finally {
      await wrong.close();
    }
  });
});

describe('storing a secret under the first pepper', () => {
  const peppers = [pepperOf(NEW), pepperOf(OLD)];
  const OTHER_SECRET = hashClientSecret('another', pepperOf(OLD));

  /** Verifies credentials, and changes the client after it was found. */
  async function verifyAround(tpp: RegisteredTpp, change: string, values: unknown[] = []) {
    let found = false;
    const query = async (text: string, given: unknown[]) => {
      const result = await sql.query(text, given);
      if (!found) await sql.query(change, values);
      found = true;
      return result;
    };
    const { clientId, clientSecret, applicant } = tpp;
    const shown = { clientId, clientSecret, certificateThumbprint: applicant.thumbprint };
    return verifyCredentials({ db: { query } as unknown as Db, peppers }, shown);
  }

  it('does not overwrite a secret that was replaced meanwhile', async () => {
    const tpp = await registerTpp(peers, (await start(OLD)).origin);
    await verifyAround(tpp, 'UPDATE client SET secret_hash = $1', [OTHER_SECRET.hash]);
    const { rows } = await sql.query<{ hash: Buffer; pepperId: Buffer }>(
      'SELECT secret_hash AS hash, secret_pepper_id AS "pepperId" FROM client',
    );
    expect(rows).toEqual([
      { hash: Buffer.from(OTHER_SECRET.hash), pepperId: Buffer.from(OTHER_SECRET.pepperId) },
    ]);
  });

  it('stores nothing for a client that was deleted meanwhile', async () => {
    const tpp = await registerTpp(peers, (await start(OLD)).origin);
    expect(await isLetIn(running[0]!, tpp)).toBe(true);
    const tombstone = `UPDATE client SET name = NULL, display_name = NULL, secret_hash = NULL, redirect_uris = '{}',
      redirect_digests = NULL, redirect_uri_digests = NULL, deleted_at = now()`;
    expect(await verifyAround(tpp, tombstone)).toBeUndefined();
    expect((await sql.query('SELECT secret_hash FROM client')).rows).toEqual([{ secret_hash: null }]);
  });

  it('accepts the secret that another replica has just stored', async () => {
    const tpp = await registerTpp(peers, (await start(OLD)).origin);
    const { hash, pepperId } = hashClientSecret(tpp.clientSecret, pepperOf(NEW));
    const twin = 'UPDATE client SET secret_hash = $1, secret_pepper_id = $2';
    expect((await verifyAround(tpp, twin, [hash, pepperId]))?.clientId).toBe(tpp.clientId);
    expect(await countUnder(NEW, [tpp])).toBe(1);
  });
});
