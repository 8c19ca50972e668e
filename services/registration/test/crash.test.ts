import { randomUUID } from 'node:crypto';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import pg from 'pg';
import { type Applicant, newApplicant, register, registrationEnv, startBroker } from './running.ts';

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let sql: pg.Pool;
let service: ServiceProcess;
let origin: string;
let env: Record<string, string>;
let applicant: Applicant;

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
  database = await testDatabase('registration');
  sql = new pg.Pool({ connectionString: database.url });
  applicant = await newApplicant(peers);
  const httpPort = await freePort();
  origin = `http://127.0.0.1:${httpPort}`;
  env = {
    ...registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort: await freePort() }),
    HTTP_PORT: String(httpPort),
    OPS_PORT: String(await freePort()),
    LOG_LEVEL: 'info',
    REGISTRATION_BURST: '10000',
  };
});

beforeEach(async () => {
  service = startServiceProcess({ service: 'registration', env });
  await service.ready();
});

afterEach(async () => {
  await service.kill();
});

afterAll(async () => {
  await sql.end();
  await database.drop();
  await peers.close();
  await broker.stop();
});

/** Counts the service's sessions in the database, or only those that wait for a lock. */
async function sessions(state: 'any' | 'waiting'): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'registration%'
       AND ($1 = 'any' OR wait_event_type = 'Lock')`,
    [state],
  );
  return rows[0]!.count;
}

/** Clients without a complete chain or without their request id. */
const INCOMPLETE = `
  SELECT client.id FROM client
  LEFT JOIN registration_request ON client_id = client.id
  WHERE registration_request.client_id IS NULL
     OR 3 <> (SELECT count(*) FROM certificate JOIN certificate_chain AS chain ON chain_id = chain.id
              WHERE chain.client_id = client.id)`;

describe('POST /tpp is all or nothing (§7: retry with the same X-Request-ID)', () => {
  it('kill -9 in the middle of a registration leaves nothing, and the retry gets client and secret', async () => {
    const requestId = randomUUID();
    const lock = await sql.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT revision FROM client_revision FOR UPDATE');
    const broken = register(origin, applicant, { requestId }).catch(() => 'broken');
    await until(async () => (await sessions('waiting')) > 0, { what: 'the registration waits' });
    await service.kill('SIGKILL');
    await lock.query('COMMIT');
    lock.release();
    expect(await broken).toBe('broken');
    await until(async () => (await sessions('any')) === 0, { what: 'the database noticed' });
    expect((await sql.query('SELECT 1 FROM client')).rows).toEqual([]);
    expect((await sql.query('SELECT 1 FROM registration_request')).rows).toEqual([]);

    service = startServiceProcess({ service: 'registration', env });
    await service.ready();
    const retry = await register(origin, applicant, { requestId });
    expect(retry).toMatchObject({ status: 201, body: { clientSecret: expect.any(String) } });
  });

  it('kill -9 under load leaves complete clients only, and every retry returns the client of its request id', async () => {
    const answered = new Map<string, unknown>();
    const requestIds = Array.from({ length: 30 }, () => randomUUID());
    const running = requestIds.map(async (requestId) => {
      const { body } = await register(origin, applicant, { requestId });
      answered.set(requestId, body.clientId);
    });
    await until(() => answered.size >= 5, { what: 'some are answered' });
    await service.kill('SIGKILL');
    await Promise.allSettled(running);
    await until(async () => (await sessions('any')) === 0, { what: 'the database noticed' });
    expect((await sql.query(INCOMPLETE)).rows).toEqual([]);

    service = startServiceProcess({ service: 'registration', env });
    await service.ready();
    for (const requestId of requestIds) {
      const { status, body } = await register(origin, applicant, { requestId });
      expect(status).toBe(201);
      expect(answered.get(requestId) ?? body.clientId).toBe(body.clientId);
    }
    const stored = await sql.query('SELECT FROM registration_request WHERE request_id = ANY ($1)', [
      requestIds,
    ]);
    expect(stored.rowCount).toBe(30);
    expect((await sql.query(INCOMPLETE)).rows).toEqual([]);
  });
});

describe('SIGTERM', () => {
  it('ends with code 0 and leaves no watcher row behind', async () => {
    const answer = register(origin, applicant, { requestId: randomUUID() });
    await until(() => service.log.some(({ msg }) => msg === 'client registered'), { what: 'it is stored' });
    expect((await answer).status).toBe(201);
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect((await sql.query("SELECT 1 FROM watcher WHERE seen_at > now() - interval '2 s'")).rows).toEqual(
      [],
    );
  });

  it('the log contains no secret, name or certificate', async () => {
    const { body } = await register(origin, applicant, { requestId: randomUUID() });
    await service.kill();
    const log = JSON.stringify(service.log);
    expect(log).toContain(String(body.clientId));
    for (const secret of [
      body.clientSecret,
      'Fjord',
      applicant.organizationIdentifier,
      env.CLIENT_SECRET_PEPPER,
    ])
      expect(log).not.toContain(secret);
  });
});
