import { randomUUID } from 'node:crypto';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type Answer, ask } from '@kontoport/testing/answer';
import { auditedOf } from '@kontoport/testing/audited';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import {
  newApplicant,
  register,
  type RegisteredTpp,
  registerTpp,
  REGISTRATION,
  type RunningRegistration,
  startBroker,
  startRegistration,
} from './running.ts';

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let sql: pg.Pool;
let registration: RunningRegistration;

beforeAll(async () => {
  [peers, broker, database] = await Promise.all([
    startFakePeers(),
    startBroker(),
    testDatabase('registration'),
  ]);
  sql = openTestPool(database.url);
  registration = await startRegistration({ peers, databaseUrl: database.url, broker });
});
afterAll(async () => {
  await registration.close();
  await sql.end();
  await database.drop();
  await peers.close();
  await broker.stop();
});

const recordsOf = (clientId: string) => auditedOf({ pool: sql, brokers: broker.brokers }, clientId);
const actionsOf = async (clientId: string) =>
  (await recordsOf(clientId)).map(({ value: { action, actor } }) => [action, actor]);

function call(tpp: RegisteredTpp, method: string, path = '', body?: unknown): Promise<Answer> {
  return ask(method, `${registration.origin}/tpp/${tpp.clientId}${path}`, {
    headers: { ...tpp.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
}

/** Another certificate of the organization. */
async function anotherCertificate(tpp: RegisteredTpp, organizationName: string): Promise<string> {
  const { organizationIdentifier } = tpp.applicant;
  return (await newApplicant(peers, { organizationIdentifier, organizationName })).qwac.fullChainPem;
}

describe('the audit log of clients (§4.2, §6)', () => {
  it('has one record of each change, in order, however often a call is repeated', async () => {
    const tpp = await registerTpp(peers, registration.origin);
    const { clientId } = tpp;
    const certificate = await anotherCertificate(tpp, 'Fjord A/S');
    const done: [string, string, unknown][] = [
      ['PUT', '/redirect-uris', { redirectUris: ['https://fjord.example/other'] }],
      ['POST', '/certificates', { certificate }],
      ['PUT', '/display-name', { displayName: 'Fjord A/S' }],
      ['DELETE', '', undefined],
    ];
    for (const [method, path, body] of done)
      for (const _again of [1, 2]) expect((await call(tpp, method, path, body)).status).toBeLessThan(300);

    const records = await recordsOf(clientId);
    const chain = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(records.map(({ value: { action, relatedIds } }) => [action, relatedIds])).toEqual([
      ['CLIENT_REGISTERED', []],
      ['REDIRECT_URIS_REPLACED', []],
      ['CERTIFICATE_ADDED', [chain]],
      ['DISPLAY_NAME_CHANGED', []],
      ['CLIENT_DELETED', []],
    ]);
    for (const { value, record } of records) {
      expect(value).toMatchObject({ actor: 'CLIENT', clientId, userId: '', objectId: clientId });
      expect(value.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(Math.abs(Date.parse(value.eventTime) - Date.now())).toBeLessThan(600_000);
      expect(record.key?.toString()).toBe(clientId);
      expect(record.headers).toMatchObject({
        ce_id: value.eventId,
        ce_type: 'Audit.RecordedV1',
        ce_source: 'urn:kontoport:registration',
      });
    }
    const { rows } = await sql.query<{ id: string }>(
      'SELECT id FROM certificate_chain WHERE client_id = $1',
      [clientId],
    );
    expect(rows.map(({ id }) => id)).toContain(records[2]!.value.relatedIds[0]);
  });

  it('records a certificate that also changes the display name, and a change of the name alone', async () => {
    const tpp = await registerTpp(peers, registration.origin);
    const add = async (name: string, updateDisplayName: boolean, certificate?: string) => {
      const chain = certificate ?? (await anotherCertificate(tpp, name));
      expect(
        (await call(tpp, 'POST', '/certificates', { certificate: chain, updateDisplayName })).status,
      ).toBe(201);
      return chain;
    };
    const first = await add('Fjord A/S', true);
    await add('Fjord II', true);
    await add('', true, first);
    expect((await actionsOf(tpp.clientId)).map(([action]) => action)).toEqual([
      'CLIENT_REGISTERED',
      'CERTIFICATE_ADDED',
      'DISPLAY_NAME_CHANGED',
      'CERTIFICATE_ADDED',
      'DISPLAY_NAME_CHANGED',
      'DISPLAY_NAME_CHANGED',
    ]);
  });

  it('records one registration, and the new secret of a repetition whose first answer was lost', async () => {
    const applicant = await newApplicant(peers);
    const requestId = randomUUID();
    const twins = await Promise.all(
      [1, 2].map(() => register(registration.origin, applicant, { requestId, body: REGISTRATION })),
    );
    const clientId = String(twins[0]!.body.clientId);
    expect(await actionsOf(clientId)).toEqual([['CLIENT_REGISTERED', 'CLIENT']]);
    await sql.query("UPDATE registration_request SET answer = 'lost' WHERE request_id = $1", [requestId]);
    const renewed = await register(registration.origin, applicant, { requestId, body: REGISTRATION });
    expect(renewed.body).toMatchObject({ clientId, clientSecret: expect.any(String) as string });
    expect(await actionsOf(clientId)).toEqual([
      ['CLIENT_REGISTERED', 'CLIENT'],
      ['CLIENT_SECRET_RENEWED', 'CLIENT'],
    ]);
  });

  it('marks changes by the service itself: an unused client, a name whose certificate expired', async () => {
    const unused = await registerTpp(peers, registration.origin);
    const named = await registerTpp(peers, registration.origin);
    await call(named, 'POST', '/certificates', { certificate: await anotherCertificate(named, 'Fjord A/S') });
    await sql.query("UPDATE client SET created_at = now() - interval '31 days' WHERE id = $1", [
      unused.clientId,
    ]);
    await sql.query(
      `WITH ended AS (
         UPDATE certificate_chain SET not_after = now() - interval '1 h'
         WHERE client_id = $1 AND display_name = 'Fjord Budget ApS' RETURNING not_after)
       UPDATE client SET named_until = ended.not_after FROM ended WHERE id = $1`,
      [named.clientId],
    );
    // Its start runs every periodic loop.
    const replica = await startRegistration({ peers, databaseUrl: database.url, broker });
    try {
      const last = async ({ clientId }: RegisteredTpp) => (await actionsOf(clientId)).at(-1);
      const until31Days = await until(
        async () => {
          const found = await last(unused);
          return found?.[0] === 'CLIENT_DELETED' && found;
        },
        { what: 'the deletion' },
      );
      expect(until31Days).toEqual(['CLIENT_DELETED', 'SERVICE']);
      const exchanged = await until(
        async () => {
          const found = await last(named);
          return found?.[0] === 'DISPLAY_NAME_CHANGED' && found;
        },
        { what: 'the other name' },
      );
      expect(exchanged).toEqual(['DISPLAY_NAME_CHANGED', 'SERVICE']);
    } finally {
      await replica.close();
    }
  });

  it('has no record of a refused call', async () => {
    const tpp = await registerTpp(peers, registration.origin);
    const refused = await Promise.all([
      call(tpp, 'PUT', '/redirect-uris', { redirectUris: ['http://fjord.example/'] }),
      call(tpp, 'PUT', '/display-name', { displayName: 'Another bank' }),
      call(tpp, 'POST', '/certificates', { certificate: 'none' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await actionsOf(tpp.clientId)).toEqual([['CLIENT_REGISTERED', 'CLIENT']]);
  });

  it.each([
    ['redirect URIs', 'PUT', '/redirect-uris', { redirectUris: ['https://fjord.example/other'] }],
    ['a certificate', 'POST', '/certificates', undefined],
    ['a deletion', 'DELETE', '', undefined],
  ])('and %s are one: without the record it is not done', async (_what, method, path, given) => {
    const tpp = await registerTpp(peers, registration.origin);
    const body = method === 'POST' ? { certificate: await anotherCertificate(tpp, 'Fjord A/S') } : given;
    await recordsOf(tpp.clientId);
    const before = await call(tpp, 'GET');
    await sql.query(`ALTER TABLE outbox ADD CONSTRAINT nothing CHECK (key <> '${tpp.clientId}') NOT VALID`);
    try {
      expect((await call(tpp, method, path, body)).status).toBe(500);
    } finally {
      await sql.query('ALTER TABLE outbox DROP CONSTRAINT nothing');
    }
    expect(await call(tpp, 'GET')).toMatchObject({ status: 200, body: before.body });
    expect((await call(tpp, method, path, body)).status).toBeLessThan(300);
    expect(await actionsOf(tpp.clientId)).toHaveLength(2);
  });

  it('is written with the registration: without the record there is no client', async () => {
    const applicant = await newApplicant(peers);
    await sql.query("ALTER TABLE outbox ADD CONSTRAINT nothing CHECK (topic = '') NOT VALID");
    try {
      expect((await register(registration.origin, applicant)).status).toBe(500);
    } finally {
      await sql.query('ALTER TABLE outbox DROP CONSTRAINT nothing');
    }
    const { rowCount } = await sql.query('SELECT FROM client WHERE organization_identifier = $1', [
      applicant.organizationIdentifier,
    ]);
    expect(rowCount).toBe(0);
  });
});

describe('an unreachable broker (ADR-0030)', () => {
  it('stops neither start, registration nor shutdown; the replica that runs later publishes the records', async () => {
    const own = await testDatabase('registration');
    const pool = openTestPool(own.url);
    try {
      const env = { KAFKA_BROKERS: `127.0.0.1:${await freePort()}` };
      const before = await startRegistration({ peers, databaseUrl: own.url, broker, env });
      let clientId: string;
      try {
        ({ clientId } = await registerTpp(peers, before.origin));
      } finally {
        await before.close();
      }
      expect((await pool.query('SELECT FROM outbox WHERE key = $1', [clientId])).rowCount).toBe(1);
      const after = await startRegistration({ peers, databaseUrl: own.url, broker });
      try {
        const records = await auditedOf({ pool, brokers: broker.brokers }, clientId);
        expect(records.map(({ value: { action } }) => action)).toEqual(['CLIENT_REGISTERED']);
      } finally {
        await after.close();
      }
    } finally {
      await pool.end();
      await own.drop();
    }
  });
});
