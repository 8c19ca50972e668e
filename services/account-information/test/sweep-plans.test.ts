import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type { PresentClient } from '../src/accounts/account.model.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { findClock, findMovedClocks, moveClock } from '../src/sandbox/clock.repository.ts';
import {
  claimDeletedCopy,
  deleteCopy,
  deleteTransactions,
  forgetSwept,
  noteDeleted,
} from '../src/sandbox/deleted-copies.repository.ts';
import { claimDue, dropDue, dropNeedless, planEnd } from '../src/sandbox/due.repository.ts';
import { countEntry } from '../src/sandbox/entries.repository.ts';
import { findSandboxAccounts } from '../src/sandbox/sandbox-account.repository.ts';

const HOUR = 3_600_000;
const OTHERS = 5_000;
const OWN = { accounts: 7, transactions: 1_400 };
const BATCH = 100;
const MOVED = { byMs: HOUR, mostMs: 2 * HOUR };

const clientId = randomUUID();

const within = withinOne(createPrisma);

/** A copy of a client that was deleted long ago, among those of others. */
async function grow(pool: Planning['pool']): Promise<void> {
  await pool.query(
    `INSERT INTO sandbox_client (client_id, deleted_at, swept_at)
     SELECT gen_random_uuid(), CASE WHEN n % 3 > 0 THEN now() - interval '1 hour' END,
       CASE WHEN n % 3 = 2 THEN now() END
     FROM generate_series(1, $1::int) AS n`,
    [OTHERS],
  );
  await pool.query(
    `INSERT INTO sandbox_client (client_id, deleted_at) VALUES ($1, now() - interval '26 hours')`,
    [clientId],
  );
  await pool.query(
    `WITH fresh AS (
       INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
         supports_transfers)
       SELECT gen_random_uuid(), gen_random_uuid(), 1, 'Account', 'CHECKING', 'DKK', '00400440116243', 0, 0, true, true
       FROM generate_series(1, $2::int) RETURNING id
     ), numbered AS (SELECT id, row_number() OVER () AS n FROM fresh)
     INSERT INTO sandbox_account (account_id, client_id)
     SELECT id, CASE WHEN n <= $3 THEN $1::uuid ELSE (SELECT client_id FROM sandbox_client WHERE deleted_at IS NULL LIMIT 1) END
     FROM numbered`,
    [clientId, OTHERS, OWN.accounts],
  );
  await pool.query(
    `INSERT INTO consent (id, client_id, user_id, granted_at, roles)
     SELECT gen_random_uuid(), client_id, gen_random_uuid(), now(), '{PSP_AI}' FROM sandbox_client`,
  );
  await pool.query(
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, title, details)
     SELECT gen_random_uuid(), account_id, 'authorization', 'unknown', now() - n * interval '1 minute', 1, 'Test', '{}'
     FROM sandbox_account CROSS JOIN generate_series(1, CASE WHEN client_id = $1 THEN $2::int ELSE 3 END) AS n`,
    [clientId, OWN.transactions / OWN.accounts],
  );
  await pool.query(
    `INSERT INTO sandbox_due (transaction_id, account_id, client_id, outcome, ends_at, due_at)
     SELECT transaction.id, account_id, client_id, 'settle', now(), now() + interval '1 day'
     FROM transaction JOIN sandbox_account USING (account_id)`,
  );
}

describe.each(['before', 'after'] as const)(
  'what the sandbox does in the background, planned %s the tables have grown (ADR-0023)',
  (analyzed) => {
    let planning: Planning;
    const most = async (work: (tx: Tx) => Promise<unknown>): Promise<number> => {
      const [custom, kept] = planning.connections;
      return Math.max(await rowsRead(custom, work), await rowsRead(kept, work));
    };
    /** What is asked for a client, with what it had planned. */
    const asked = async (tx: Db, who: PresentClient): Promise<void> => {
      const plan = {
        transactionId: randomUUID(),
        accountId: randomUUID(),
        outcome: 'settle',
        afterMs: HOUR,
      } as const;
      await findSandboxAccounts(tx, who);
      await findSandboxAccounts(tx, who, plan.accountId);
      await countEntry(tx, who);
      await planEnd(tx, who, plan);
      await dropNeedless(tx, plan);
      await findClock(tx, who);
      await moveClock(tx, who, MOVED);
      await findMovedClocks(tx, { since: new Date(), limit: BATCH });
    };
    /** Every statement once. */
    const all = async (tx: Db): Promise<void> => {
      await noteDeleted(tx, [randomUUID()]);
      await claimDeletedCopy(tx, 25 * HOUR);
      await deleteTransactions(tx, { clientId, limit: BATCH });
      await forgetSwept(tx, { afterMs: HOUR, limit: BATCH });
      await claimDue(tx, { limit: 4, leaseMs: 1_000 });
      await dropDue(tx, [randomUUID()]);
      await asked(tx, { clientId } as PresentClient);
    };

    beforeAll(async () => {
      planning = await openPlanning('account-information');
      if (analyzed === 'before') await planning.pool.query('ANALYZE');
      await rowsRead(planning.connections[1], within(all));
      await grow(planning.pool);
      if (analyzed === 'after') await planning.pool.query('ANALYZE');
    });
    afterAll(() => planning.close());

    it('finds the copy that is to go without reading those that are not', async () => {
      const read = await most(async (tx) => expect(await claimDeletedCopy(tx, 25 * HOUR)).toBe(clientId));
      expect(read).toBeLessThanOrEqual(5);
    });

    it('deletes a batch of its transactions by reading about as many', async () => {
      const read = await most(async (tx) =>
        expect(await deleteTransactions(tx, { clientId, limit: BATCH })).toBe(BATCH),
      );
      expect(read).toBeLessThanOrEqual(6 * BATCH);
    });

    it('deletes what is left by reading what belongs to the client alone', async () => {
      const read = await most(async (tx) => {
        await deleteTransactions(tx, { clientId, limit: OWN.transactions });
        await deleteCopy(tx, clientId);
        const { rows } = await tx.query(
          'SELECT (SELECT count(*)::int FROM sandbox_account WHERE client_id = $1) AS left',
          [clientId],
        );
        expect(rows).toEqual([{ left: 0 }]);
      });
      expect(read).toBeLessThanOrEqual(10 * OWN.transactions);
    });

    it('serves a client by reading what it has, and moves its clock by reading what waits for it', async () => {
      const { rows } = await planning.pool.query<{ clientId: string }>(
        `SELECT client_id AS "clientId" FROM sandbox_client WHERE deleted_at IS NULL
           AND NOT EXISTS (SELECT FROM sandbox_account WHERE sandbox_account.client_id = sandbox_client.client_id) LIMIT 1`,
      );
      expect(await most(within((tx) => asked(tx, rows[0] as PresentClient)))).toBeLessThanOrEqual(40);
    });

    it('forgets by reading what it forgets', async () => {
      expect(await most((tx) => forgetSwept(tx, { afterMs: HOUR, limit: BATCH }))).toBeLessThanOrEqual(5);
      expect(await most((tx) => forgetSwept(tx, { afterMs: 0, limit: BATCH }))).toBeLessThanOrEqual(
        3 * BATCH,
      );
    });

    it('claims what is due without reading what is not', async () => {
      expect(
        await most(async (tx) => expect(await claimDue(tx, { limit: 4, leaseMs: 1_000 })).toEqual([])),
      ).toBeLessThanOrEqual(5);
    });
  },
);
