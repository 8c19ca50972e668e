import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { databaseReady, openPool, type PoolOptions } from './pool.ts';
import type { Tx } from './transaction.ts';

/**
 * The database of a service, in one handle: functions choose Prisma or SQL (ADR 15), their callers need not know. SQL
 * that may be part of a transaction takes a `Tx`, which is this handle as well as a transaction's connection.
 */
export interface Db<Prisma = unknown> extends Tx {
  readonly prisma: Prisma;
  readonly pool: pg.Pool;
  /** Why the database cannot be used, for `/readyz`; nothing when it answers. */
  readiness(): Promise<string | undefined>;
  /** Waits for the statements in hand. */
  close(): Promise<void>;
}

/**
 * Opens a pool and, when it is first asked for, the service's generated Prisma client over it; nothing is connected yet.
 * @param options.url, options.tls how to reach it: `databaseAccess`
 * @param options.max connections at most (default 10)
 * @param options.applicationName shown in pg_stat_activity: the service, and what the pool is for where it has several
 * @param options.prisma makes the generated client: `(adapter) => new PrismaClient({ adapter })`
 */
export function openDb<Prisma>(options: PoolOptions & { prisma: (adapter: PrismaPg) => Prisma }): Db<Prisma> {
  const { prisma } = options;
  const pool = openPool(options);
  let client: Prisma | undefined;
  return {
    // A pool for SQL alone need not pay for the client.
    get prisma() {
      return (client ??= prisma(new PrismaPg(pool)));
    },
    pool,
    query: pool.query.bind(pool),
    readiness: () => databaseReady(pool),
    close: () => pool.end(),
  };
}
