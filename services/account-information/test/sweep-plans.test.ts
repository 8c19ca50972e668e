import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type { PresentClient } from '../src/accounts/account.model.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { findClock, findMovedClocks, moveClock } from '../src/sandbox/clock.repository.ts';
import {
  claimDeletedClient,
  deleteBank,
  deleteTransactions,
  forgetSwept,
  isLastOfBank,
  noteDeleted,
  sweepClient,
} from '../src/sandbox/deleted-clients.repository.ts';
import { claimDue, dropDue, dropNeedless, planEnd } from '../src/sandbox/due.repository.ts';
import { countEntry } from '../src/sandbox/entries.repository.ts';
import { findSandboxAccounts } from '../src/sandbox/sandbox-account.repository.ts';

const HOUR = 3_600_000;
const OTHERS = 5_000;
const OWN = { accounts: 7, transactions: 1_400 };
const BATCH = 100;
const MOVED = { byMs: HOUR, mostMs: 2 * HOUR };

const clientId = randomUUID();
const organization = 'PSDDK-DFSA-1';
/** Of a client that is not deleted. */
const LIVE = 'PSDDK-DFSA-2';

const within = withinOne(createPrisma);

/** A bank whose only client was deleted long ago, among others. */
async function grow(pool: Planning['pool']): Promise<void> {
  await pool.query(
    `INSERT INTO sandbox_bank (organization) SELECT 'other-' || n FROM generate_series(1, $1::int) AS n`,
    [OTHERS],
  );
  await pool.query('INSERT INTO sandbox_bank (organization) VALUES ($1), ($2)', [organization, LIVE]);
  await pool.query(
    `INSERT INTO sandbox_client (client_id, organization, deleted_at, swept_at)
     SELECT gen_random_uuid(), CASE WHEN n = 3 THEN $2 ELSE 'other-' || n END,
       CASE WHEN n % 3 > 0 THEN now() - interval '1 hour' END, CASE WHEN n % 3 = 2 THEN now() END
     FROM generate_series(1, $1::int) AS n`,
    [OTHERS, LIVE],
  );
  await pool.query(
    `INSERT INTO sandbox_client (client_id, organization, deleted_at) VALUES ($1, $2, now() - interval '26 hours')`,
    [clientId, organization],
  );
  await pool.query(
    `WITH fresh AS (
       INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
         supports_transfers)
       SELECT gen_random_uuid(), gen_random_uuid(), 1, 'Account', 'CHECKING', 'DKK', '00400440116243', 0, 0, true, true
       FROM generate_series(1, $2::int) RETURNING id
     ), numbered AS (SELECT id, row_number() OVER () AS n FROM fresh)
     INSERT INTO sandbox_account (account_id, organization)
     SELECT id, CASE WHEN n <= $3 THEN $1 ELSE 'other-6' END FROM numbered`,
    [organization, OTHERS, OWN.accounts],
  );
  await pool.query(
    `INSERT INTO consent (id, client_id, user_id, granted_at, roles)
     SELECT gen_random_uuid(), client_id, gen_random_uuid(), now(), '{PSP_AI}' FROM sandbox_client`,
  );
  await pool.query(
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, title, details)
     SELECT gen_random_uuid(), account_id, 'authorization', 'unknown', now() - n * interval '1 minute', 1, 'Test', '{}'
     FROM sandbox_account CROSS JOIN generate_series(1, CASE WHEN organization = $1 THEN $2::int ELSE 3 END) AS n`,
    [organization, OWN.transactions / OWN.accounts],
  );
  await pool.query(
    `INSERT INTO sandbox_due (transaction_id, account_id, organization, outcome, ends_at, due_at)
     SELECT transaction.id, account_id, organization, 'settle', now(), now() + interval '1 day'
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
      await claimDeletedClient(tx, 25 * HOUR);
      await isLastOfBank(tx, { clientId, organization });
      await deleteTransactions(tx, { organization, limit: BATCH });
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

    it('finds the client to sweep, and that it is the last of its bank, without reading others', async () => {
      const read = await most(async (tx) => {
        const claimed = await claimDeletedClient(tx, 25 * HOUR);
        expect(claimed).toEqual({ clientId, organization });
        expect(await isLastOfBank(tx, claimed!)).toBe(true);
      });
      expect(read).toBeLessThanOrEqual(8);
    });

    it('deletes a batch of its transactions by reading about as many', async () => {
      const read = await most(async (tx) =>
        expect(await deleteTransactions(tx, { organization, limit: BATCH })).toBe(BATCH),
      );
      expect(read).toBeLessThanOrEqual(6 * BATCH);
    });

    it('deletes the bank and the client by reading nothing of others', async () => {
      const read = await most(async (tx) => {
        await deleteTransactions(tx, { organization, limit: OWN.transactions });
        await deleteBank(tx, organization);
        await sweepClient(tx, { clientId, organization });
        const { rows } = await tx.query(
          'SELECT (SELECT count(*)::int FROM sandbox_account WHERE organization = $1) AS left',
          [organization],
        );
        expect(rows).toEqual([{ left: 0 }]);
      });
      expect(read).toBeLessThanOrEqual(10 * OWN.transactions);
    });

    it('serves a client by reading what its bank has, and moves the clock by reading what waits in the bank', async () => {
      const { rows } = await planning.pool.query<{ clientId: string }>(
        `SELECT client_id AS "clientId" FROM sandbox_client WHERE organization = '${LIVE}'`,
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
