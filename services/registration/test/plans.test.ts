import { createHash, randomUUID } from 'node:crypto';
import { insertClients } from '@kontoport/testing/registered-clients';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type pg from 'pg';
import { storeChain, storeDisplayName, storeRedirectUris } from '../src/clients/client-changes.repository.ts';
import { storeDeletion, storeRegistration } from '../src/clients/client.repository.ts';
import { exchangeEndedNames } from '../src/clients/ended-names.repository.ts';
import type { RegistrationLimits } from '../src/clients/registration-limits.model.ts';
import {
  forgetRates,
  isAnswerPending,
  recordAnswer,
  spendRegistration,
} from '../src/clients/registration.repository.ts';
import { deleteRequests, deleteUnused, purgeTombstones } from '../src/clients/retention.repository.ts';
import { countByPepper, findCredentials, recordUse } from '../src/credentials/credentials.repository.ts';
import { forgetRevokedTokens, storeRevocation } from '../src/credentials/revocation.repository.ts';
import {
  forgetSilentWatchers,
  forgetWatchers,
  isAwaited,
  readChanges,
  recordWatchers,
} from '../src/directory/directory.repository.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';

const CLIENTS = 10_000;
const ORGANIZATION = 'PSDDK-DFSA-LARGE';
const LARGE = 1_000;
/** The organization of the client under test. */
const FILLED = 'PSDDK-DFSA-0';
const DAYS_AGO = (days: number): Date => new Date(Date.now() - days * 86_400_000);

const within = withinOne(createPrisma);

/** The time at which statistics are taken, and whether the tables had clients before. */
const STATISTICS = {
  'never taken': { grown: false, analyzed: 'never' },
  'taken on empty tables': { grown: false, analyzed: 'before' },
  'taken when all clients had gone': { grown: true, analyzed: 'before' },
  'taken with the clients': { grown: false, analyzed: 'after' },
};

describe.each(Object.entries(STATISTICS))(
  'ten thousand clients cost no statement more than what it is about, statistics %s (§4.2)',
  (_name, { grown, analyzed }) => {
    let pool: Planning['pool'];
    let close: Planning['close'];
    let connections: Planning['connections'];
    let clientId: string;

    beforeAll(async () => {
      ({ pool, connections, close } = await openPlanning('registration'));
      if (grown) {
        await fill(pool);
        await pool.query(
          'TRUNCATE certificate, certificate_chain, registration_request, client, registration_rate',
        );
      }
      if (analyzed === 'before') await pool.query('ANALYZE');
      for (const work of Object.values(statements(randomUUID())))
        await rowsRead(connections[1], within(work.run));
      clientId = await fill(pool);
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => close());

    it.each(Object.entries(statements('')).map(([what, { most }]) => [what, most] as const))(
      '%s reads at most %d rows',
      async (what, most) => {
        const { run } = statements(clientId)[what]!;
        const read = [];
        for (const connection of connections) read.push(await rowsRead(connection, within(run)));
        expect(Math.max(...read)).toBeLessThanOrEqual(most);
      },
    );
  },
);

/** Every statement on a table that grows, with the maximum number of rows that it may read. */
function statements(clientId: string): Record<string, { most: number; run: (db: Db) => Promise<unknown> }> {
  const now = new Date();
  const earlier = { organizationIdentifier: FILLED, requestId: clientId };
  const watchers = Array.from({ length: 20 }, () => ({
    watcherId: randomUUID(),
    service: 'test',
    appliedRevision: 1n,
  }));
  return {
    'a page of the directory': { most: 2_100, run: (db) => readChanges(db, { after: 5_000n, limit: 500 }) },
    'the last changes': { most: 10, run: (db) => readChanges(db, { after: 99_999_999n, limit: 500 }) },
    'the credentials of a client': { most: 10, run: (db) => findCredentials(db, clientId) },
    'the first use of a client': {
      most: 10,
      run: (db) => recordUse(db, { clientId, found: Buffer.alloc(32), secret: newClient().secret }),
    },
    'the clients by pepper': { most: CLIENTS + 2 * LARGE + 10, run: (db) => countByPepper(db) },
    'a registration': { most: 2 * LARGE + 50, run: (db) => storeRegistration(db, newClient()) },
    'a repetition of a registration': {
      most: 10,
      run: (db) =>
        storeRegistration(db, {
          ...newClient(),
          request: { ...earlier, bodyHash: createHash('sha256').update('x').digest() },
        }),
    },
    'whether an answer is under way': { most: 10, run: (db) => isAnswerPending(db, earlier) },
    'what became of an answer': { most: 10, run: (db) => recordAnswer(db, { ...earlier, answer: 'given' }) },
    'other redirect URIs': {
      most: 20,
      run: (db) => storeRedirectUris(db, { clientId, redirectUris: ['https://b.example/'], now: new Date() }),
    },
    'another display name': {
      most: 50,
      run: (db) => storeDisplayName(db, { clientId, displayName: 'd', now: DAYS_AGO(1_000) }),
    },
    'another certificate': {
      most: 50,
      run: (db) =>
        storeChain(db, {
          clientId,
          chain: newClient().client.certificateChains[0]!,
          updateDisplayName: true,
          limits,
          now,
        }),
    },
    'a revoked token': {
      most: 10,
      run: (db) =>
        storeRevocation(db, { clientId, token: { id: 't', expiresAt: 9_999_999_999n }, most: 10, now }),
    },
    'the end of revoked tokens': {
      most: 100 * 8,
      run: (db) => forgetRevokedTokens(db, { before: now, limit: 100 }),
    },
    'a deletion': { most: 50, run: (db) => storeDeletion(db, { clientId, now }) },
    'the deletion of unused clients': {
      most: 100 * 12,
      run: (db) => deleteUnused(db, { before: DAYS_AGO(30), now, limit: 100 }),
    },
    'the exchange of display names': {
      most: 100 * 16,
      run: (db) => exchangeEndedNames(db, { now: DAYS_AGO(-91), limit: 100 }),
    },
    'the purge of tombstones': {
      most: 100 * 12,
      run: (db) => purgeTombstones(db, { before: DAYS_AGO(30), limit: 100 }),
    },
    'the deletion of request ids': {
      most: 100 * 8,
      run: (db) => deleteRequests(db, { before: DAYS_AGO(30), limit: 100 }),
    },
    'one registration of the rate': {
      most: 10,
      run: (db) => spendRegistration(db, 'PSDDK-DFSA-1', { stepMs: 200, aheadMs: 19_800 }),
    },
    'the end of rates': { most: 100 * 8, run: (db) => forgetRates(db, 100) },
    acknowledgements: { most: 200, run: (db) => recordWatchers(db, watchers) },
    'whether a change is awaited': {
      most: 200,
      run: (db) => isAwaited(db, { revision: 1n, leaseMs: 5_500 }),
    },
    'watchers that left': { most: 20, run: (db) => forgetWatchers(db, [randomUUID()]) },
    'watchers that are silent': { most: 200, run: (db) => forgetSilentWatchers(db, 60_000) },
  };
}

const limits: RegistrationLimits = {
  clients: LARGE + 10,
  deletedClients: LARGE + 10,
  tombstoneMs: 30 * 86_400_000,
  perMinute: 300,
  burst: 100,
  redirectUris: 20,
  certificateChains: 20,
  redirectUriCharacters: 10_000,
};

const newClient = (): Parameters<typeof storeRegistration>[1] => {
  const clientId = randomUUID();
  const certificate = {
    der: Buffer.from('00', 'hex'),
    thumbprint: 'A'.repeat(43),
    subject: 's',
    subjectKeyId: '00',
    issuer: 'i',
    serialNumber: '0',
    notBefore: new Date(),
    notAfter: new Date(),
  };
  return {
    client: {
      clientId,
      name: 'n',
      displayName: 'd',
      roles: ['PSP_AI'],
      redirectUris: ['https://a.example/'],
      organizationIdentifier: ORGANIZATION,
      certificateChains: [{ displayName: 'd', roles: ['PSP_AI'], certificates: [certificate] }],
      createdAt: new Date(),
    },
    secret: { hash: new Uint8Array(32), pepperId: new Uint8Array(8) },
    request: { organizationIdentifier: ORGANIZATION, requestId: randomUUID(), bodyHash: new Uint8Array(32) },
    limits,
  };
};

/** Inserts clients, half of them deleted, with all their rows. @returns the id of a live one */
async function fill(pool: pg.Pool): Promise<string> {
  const createdAt = "now() - interval '40 days'";
  await insertClients(pool, { count: CLIENTS / 2, createdAt });
  await insertClients(pool, { count: CLIENTS / 2, createdAt, deleted: true });
  for (const deleted of [false, true])
    await insertClients(pool, { count: LARGE, organizationIdentifier: ORGANIZATION, deleted });
  await pool.query(
    `INSERT INTO registration_request (organization_identifier, request_id, body_hash, client_id, created_at)
     SELECT organization_identifier, id::text, sha256('x'), id, created_at FROM client`,
  );
  await pool.query(
    "UPDATE client SET revoked_tokens = 't:1', revoked_until = created_at WHERE deleted_at IS NULL",
  );
  await pool.query(
    `INSERT INTO certificate (chain_id, position, der, thumbprint, subject, subject_key_id, issuer, serial_number,
                              not_before, not_after)
     SELECT chain.id, position, '\\x00', thumbprint, 's', '00', 'i', '0', now(), now()
     FROM certificate_chain AS chain JOIN client ON client.id = client_id, generate_series(0, 2) AS position
     WHERE deleted_at IS NULL`,
  );
  await pool.query(
    `INSERT INTO registration_rate SELECT 'PSDDK-DFSA-' || n, now() - interval '1 hour' FROM generate_series(1, 10000) AS n`,
  );
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM client WHERE deleted_at IS NULL ORDER BY revision LIMIT 1',
  );
  return rows[0]!.id;
}
