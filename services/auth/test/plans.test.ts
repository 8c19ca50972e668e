import { randomBytes, randomUUID } from 'node:crypto';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import {
  type Approval,
  deleteExpiredDecisions,
  findDecision,
  redeemDecision,
  storeDecision,
} from '../src/authorization/authorization-decision.repository.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import {
  claimDueRevocations,
  deleteExpiredFamilies,
  deleteFamiliesOf,
  endFamily,
  findFamily,
  insertFamily,
  markRevoked,
  refreshFamily,
  RevocationCursor,
} from '../src/token/token-family.repository.ts';
import { MAX_SESSIONS_PER_CLIENT } from '../src/user-session/user-session.model.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  prolongSession,
} from '../src/user-session/user-session.repository.ts';

/** The numbers of clients and of the rows of each client; one client reaches every limit. */
const CLIENTS = 200;
const OF_EACH = 50;
const LARGE = 2_000;
const OF_A_USER = 250;
const ENDED = 4_000;
const AT_A_TIME = 1_000;
const WAITING_CLIENTS = 30;
const [large, user] = [randomUUID(), randomUUID()];
const now = new Date();
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const [past, soon] = [ago(120), ago(-600)];
/** The state of an ended family with pending revocations. */
const WAITING = { endedAt: past, revocationDue: past };

const within = withinOne(createPrisma);

/** The time at which statistics are taken, and whether the tables had rows before. */
const STATISTICS = {
  'never taken': { grown: false, analyzed: 'never' },
  'taken on empty tables': { grown: false, analyzed: 'before' },
  'taken when all had gone': { grown: true, analyzed: 'before' },
  'taken with all there is': { grown: false, analyzed: 'after' },
};

/** The keys of the client with the most rows, for the statements. */
interface Known {
  authorizationId: string;
  id: string;
  idHash: Buffer<ArrayBuffer>;
}

const nobody: Known = { authorizationId: randomUUID(), id: randomUUID(), idHash: randomBytes(32) };

describe.each(Object.entries(STATISTICS))(
  'what users have authorized costs no statement more than what it is about, statistics %s (§5.9)',
  (_name, { grown, analyzed }) => {
    let planning: Planning;
    let known: Known;

    beforeAll(async () => {
      planning = await openPlanning('auth');
      const { pool, connections } = planning;
      if (grown) {
        await fill(pool);
        await pool.query(
          'DELETE FROM authorization_decision; DELETE FROM token_family; DELETE FROM user_session',
        );
      }
      if (analyzed === 'before') await pool.query('ANALYZE');
      for (const { run } of Object.values(statements(nobody))) await rowsRead(connections[1], within(run));
      known = await fill(pool);
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => planning.close());

    it.each(Object.entries(statements(nobody)).map(([what, { most }]) => [what, most] as const))(
      '%s reads at most %d rows',
      async (what, most) => {
        const { run } = statements(known)[what]!;
        const read = [];
        for (const connection of planning.connections) read.push(await rowsRead(connection, within(run)));
        expect(Math.max(...read)).toBeLessThanOrEqual(most);
      },
    );
  },
);

describe('pending revocations are claimed in turn (§4.1)', () => {
  it('for a number of clients per statement, from one to the next and round again', async () => {
    const { pool, close } = await openPlanning('auth');
    const clients = ['1', '2', '3'].map((first) => first + randomUUID().slice(1));
    for (const clientId of clients)
      await insertFamilies(pool, { clientIds: [clientId], count: 2, ...WAITING });
    const cursor = new RevocationCursor(2);
    const take = async (): Promise<string[]> =>
      (await claimDueRevocations(pool, { now, retryAt: ago(-1), cursor })).map(({ clientId }) => clientId);
    const [one, two, three] = clients;
    expect((await take()).toSorted()).toEqual([one, one, two, two]);
    expect(await take()).toEqual([three, three]);
    expect(await take()).toEqual([]);
    await pool.query('UPDATE token_family SET revocation_due = $1 WHERE client_id = $2', [ago(1), three]);
    expect(await take()).toEqual([three, three]);
    await close();
  });
});

/** Every statement on a table that grows, with the maximum number of rows that it may read. */
function statements({
  authorizationId,
  id,
  idHash,
}: Known): Record<string, { most: number; run: (db: Db) => Promise<unknown> }> {
  const decision = { authorizationId, clientId: large };
  const family = { id, clientId: large };
  return {
    'a decision': { most: 10, run: (db) => findDecision(db.prisma, decision) },
    'the use of a code': { most: 10, run: (db) => redeemDecision(db.prisma, { ...decision, now }) },
    'a new decision': { most: 2_500, run: (db) => storeDecision(db, newDecision()) },
    'the end of decisions': { most: 4 * AT_A_TIME, run: (db) => deleteExpiredDecisions(db, now) },
    'a family': { most: 10, run: (db) => findFamily(db.prisma, family) },
    'a new family': { most: 3 * OF_A_USER, run: (db) => insertFamily(db.prisma, newFamily()) },
    'a rotation': {
      most: 20,
      run: (db) =>
        refreshFamily(db, {
          ...family,
          accessUntil: now,
          generation: 1,
          thumbprint: 't',
          rotate: true,
          now,
        }),
    },
    'the end of a family': { most: 10, run: (db) => endFamily(db, { ...family, now }) },
    'what is still to be refused': {
      most: 25 * WAITING_CLIENTS,
      run: (db) => claimDueRevocations(db, { now, retryAt: now, cursor: new RevocationCursor() }),
    },
    'what is refused': { most: 10, run: (db) => markRevoked(db, { id }) },
    'the end of families': { most: 4 * AT_A_TIME, run: (db) => deleteExpiredFamilies(db, now) },
    'the end of the families of deleted clients': {
      most: 4 * OF_EACH,
      run: (db) => deleteFamiliesOf(db, { clientIds: [randomUUID(), large], limit: OF_EACH }),
    },
    'the use of a session': { most: 10, run: (db) => prolongSession(db, { idHash, now }) },
    'a new session': {
      most: 4 * MAX_SESSIONS_PER_CLIENT,
      run: (db) => insertSession(db, { clientId: large, userId: user, idHash: randomBytes(32), now }),
    },
    'the end of a session': { most: 10, run: (db) => deleteSession(db, { idHash }) },
    'the end of sessions': { most: 4 * AT_A_TIME, run: (db) => deleteExpiredSessions(db, now) },
  };
}

const newDecision = (): Approval => ({
  outcome: 'APPROVED',
  authorizationId: randomUUID(),
  clientId: large,
  isPushed: false,
  redirectUri: 'https://tpp.test/',
  codeChallenge: 'x'.repeat(43),
  consentId: randomUUID(),
  userId: user,
  accountIds: [user],
  roles: ['PSP_AI'],
  validUntil: now,
  decidedAt: now,
  redeemedAt: undefined,
});

const newFamily = (): Parameters<typeof insertFamily>[1] => ({
  id: randomUUID(),
  clientId: large,
  consentId: randomUUID(),
  userId: user,
  roles: ['PSP_AI'],
  createdAt: now,
  expiresAt: now,
  accessUntil: now,
});

/** Inserts `count` families of each of these clients. @returns the id of one */
async function insertFamilies(
  pool: Planning['pool'],
  options: {
    clientIds: readonly string[];
    count: number;
    userId?: string;
    forgetAt?: Date;
    endedAt?: Date;
    revocationDue?: Date;
  },
): Promise<string> {
  const { clientIds, count, userId = user, forgetAt = soon, endedAt, revocationDue } = options;
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until,
       forget_at, ended_at, revocation_due)
     SELECT gen_random_uuid(), client_id, gen_random_uuid(), $2, '{PSP_AI}', now(), now() + interval '1 day', now(), $4, $5, $6
     FROM unnest($1::uuid[]) AS client_id, generate_series(1, $3) RETURNING id`,
    [clientIds, userId, count, forgetAt, endedAt, revocationDue],
  );
  return rows[0]!.id;
}

/** Fills the tables for many clients, and up to every limit for one. @returns keys of that one */
async function fill(pool: Planning['pool']): Promise<Known> {
  const decisions = `INSERT INTO authorization_decision (authorization_id, client_id, outcome, redirect_uri, code_challenge,
      consent_id, user_id, account_ids, roles, valid_until, decided_at)
    SELECT gen_random_uuid(), client_id, 'APPROVED', 'https://tpp.test/', repeat('x', 43), gen_random_uuid(), $2::uuid, ARRAY[$2::uuid],
      '{PSP_AI}', now(), $4 FROM unnest($1::uuid[]) AS client_id, generate_series(1, $3) RETURNING authorization_id AS id`;
  const sessions = `INSERT INTO user_session (id_hash, client_id, user_id, started_at, expires_at)
    SELECT sha256(gen_random_uuid()::text::bytea), client_id, $2, now(), $4
    FROM unnest($1::uuid[]) AS client_id, generate_series(1, $3) RETURNING id_hash AS id`;
  const insert = async <T>(text: string, values: unknown[]): Promise<T> =>
    (await pool.query<{ id: T }>(text, values)).rows[0]!.id;
  const others = Array.from({ length: CLIENTS }, () => randomUUID());
  for (const userId of [randomUUID(), user])
    await insertFamilies(pool, { clientIds: [...others, large], userId, count: OF_EACH / 2 });
  await insertFamilies(pool, { clientIds: [large], userId: randomUUID(), count: LARGE });
  await insertFamilies(pool, { clientIds: others, count: ENDED / CLIENTS, forgetAt: past, endedAt: past });
  await insertFamilies(pool, { clientIds: others.slice(0, WAITING_CLIENTS), count: 20, ...WAITING });
  await insertFamilies(pool, { clientIds: [large], count: ENDED, ...WAITING });
  await insert(decisions, [others, user, OF_EACH, past]);
  await insert(decisions, [others, user, OF_EACH, now]);
  await insert(sessions, [others, user, OF_EACH, past]);
  await insert(sessions, [others, user, OF_EACH, soon]);
  await insert(sessions, [[large], user, MAX_SESSIONS_PER_CLIENT - 1, soon]);
  return {
    id: await insertFamilies(pool, { clientIds: [large], count: OF_A_USER - OF_EACH / 2 }),
    authorizationId: await insert(decisions, [[large], user, AT_A_TIME, now]),
    idHash: await insert(sessions, [[large], user, 1, soon]),
  };
}
