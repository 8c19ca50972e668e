import { join } from 'node:path';
import { createDatabase, deployMigrations, openPool } from '@kontoport/database';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { runSql } from '@kontoport/testing/postgres';

const ROWS = 200_000;
const SERVICES = join(import.meta.dirname, '../../../services');

const DETAILS =
  '{"cardTransactionInfo":{"merchantName":"Torvets Købmand","merchantCategoryCode":5411,"cardEntryMode":"contactless"}}';
const CONTENT =
  '"eventType":"Posting.CreatedV1","idempotencyKey":"6f1e2c3a-0a1b-4c2d-8e3f-5a6b7c8d9e0f","data":{"accountId":"6f1e2c3a-0a1b-4c2d-8e3f-5a6b7c8d9e0f","transactionId":"6f1e2c3a-0a1b-4c2d-8e3f-5a6b7c8d9e0f"}';

/** What grows with use: rows as the services write them, each table after those that it refers to. */
const GROWING: Record<string, Record<string, string>> = {
  'account-information': {
    account: `INSERT INTO account (id, user_id, position, name, type, currency, bban, iban, swift, balance, reserved,
        supports_payments, supports_transfers, owner_name, usage)
      SELECT gen_random_uuid(), gen_random_uuid(), n % 3, 'Lønkonto', 'CHECKING', 'DKK', '00400440116243', 'DK5000400440116243', 'NDEADKKK',
        1000000, 0, true, true, 'Karen Margrethe Sørensen', 'PRIVATE' FROM generate_series(1, ${ROWS}) AS n`,
    transaction: `INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount,
        transaction_amount, transaction_currency, balance_after, title, details)
      SELECT gen_random_uuid(), own.ids[1 + n % ${ROWS}], 'financial', 'card', at, at, -1000 - n % 5000, -1000 - n % 5000, 'DKK', 1000000,
        'Torvets Købmand', '${DETAILS}'
      FROM (SELECT n, now() - n * interval '7 seconds' AS at FROM generate_series(1, ${ROWS}) AS n) AS row,
        (SELECT array_agg(id) AS ids FROM account) AS own`,
    consent: `INSERT INTO consent (id, client_id, user_id, granted_at, valid_until, roles)
      SELECT id, gen_random_uuid(), user_id, now(), now() + interval '180 days', '{PSP_AI}' FROM account`,
    consent_account: 'INSERT INTO consent_account (consent_id, account_id) SELECT id, id FROM account',
  },
  auth: {
    token_family: `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until, forget_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '{PSP_AI}', now(), now(), now(), now()
      FROM generate_series(1, ${ROWS})`,
  },
  'webhook-dispatcher': {
    event: `CREATE TABLE event_all PARTITION OF event DEFAULT; INSERT INTO event (id, time, type, audience, content)
      SELECT gen_random_uuid(), now(), 'Posting.CreatedV1', ARRAY[gen_random_uuid()], '${CONTENT}' FROM generate_series(1, ${ROWS})`,
    delivery: `INSERT INTO delivery (subscription_id, event_id, event_time)
      SELECT gen_random_uuid(), gen_random_uuid(), now() FROM generate_series(1, ${ROWS})`,
    delivery_log: `CREATE TABLE delivery_log_all PARTITION OF delivery_log DEFAULT; INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
      SELECT gen_random_uuid(), now(), gen_random_uuid(), 'delivered', 1, '[["2026-11-22T12:00:00.000Z",204,31]]', now()
      FROM generate_series(1, ${ROWS})`,
  },
};

/** Bytes that a row takes with its indexes, for the sizing of databases: docs/operations/capacity.md. */
export async function benchSizes(): Promise<void> {
  const postgres = await startPostgres();
  try {
    for (const [service, tables] of Object.entries(GROWING)) {
      const url = await createDatabase(postgres.url, `sizes_${service.replaceAll('-', '_')}`);
      await deployMigrations({ url, prismaDir: join(SERVICES, service, 'prisma') });
      const pool = openPool({ url, applicationName: 'bench', max: 1 });
      for (const [table, insert] of Object.entries(tables)) {
        const before = await sizeOf(pool, table);
        await runSql(url, ...insert.split('; '));
        const bytes = ((await sizeOf(pool, table)) - before) / ROWS;
        console.log(
          `  ${service.padEnd(20)} ${table.padEnd(16)} ${bytes.toFixed(0).padStart(5)} bytes a row, indexes included`,
        );
      }
      await pool.end();
    }
  } finally {
    await postgres.stop();
  }
}

async function sizeOf(pool: ReturnType<typeof openPool>, table: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT pg_total_relation_size($1::regclass)
       + coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree($1::regclass) WHERE isleaf), 0) AS bytes`,
    [table],
  );
  return Number(rows[0]!.bytes);
}
