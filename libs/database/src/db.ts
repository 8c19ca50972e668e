import type { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { databaseReady, migratedReady, openPool, type PoolOptions } from './pool.ts';
import type { Tx } from './transaction.ts';

/** By which a generated client reaches the database. */
export type PrismaAdapter = PrismaPg;

/**
 * The database of a service, in one handle: functions choose Prisma or SQL (ADR 15), their callers need not know. SQL
 * that may be part of a transaction takes a `Tx`, which is this handle as well as a transaction's connection.
 */
export interface Db<Prisma = unknown> extends Tx {
  /** The generated client, which is loaded when it is first asked for. */
  prisma(): Promise<Prisma>;
  readonly pool: pg.Pool;
  /** Why the database cannot be used, for `/readyz`; nothing when it answers and has every migration. */
  readiness(): Promise<string | undefined>;
  /** Waits for the statements in hand. */
  close(): Promise<void>;
}

/**
 * Opens a pool and, when it is first asked for, the service's generated Prisma client over it; nothing is connected yet. The
 * client with its compiler is a good part of what a start would have to load, and much of the work never needs it.
 * @param options.url, options.tls how to reach it: `databaseAccess`
 * @param options.max connections at most (default 10)
 * @param options.applicationName shown in pg_stat_activity: the service, and what the pool is for where it has several
 * @param options.prisma makes the generated client: `loadPrisma` of the service
 * @param options.migration without which the database is not ready: `MIGRATION` of the service
 */
export function openDb<Prisma>(
  options: PoolOptions & {
    prisma: (adapter: PrismaAdapter) => Promise<Prisma>;
    migration?: string | undefined;
  },
): Db<Prisma> {
  const { prisma, migration } = options;
  const pool = openPool(options);
  let client: Promise<Prisma> | undefined;
  const load = async (): Promise<Prisma> => {
    const { PrismaPg } = await import('@prisma/adapter-pg');
    return prisma(new PrismaPg(pool));
  };
  return {
    prisma: () =>
      (client ??= load().catch((error: unknown) => {
        // Files may be short for a moment: the next one tries again.
        client = undefined;
        throw error;
      })),
    pool,
    query: pool.query.bind(pool),
    readiness: migration === undefined ? () => databaseReady(pool) : migratedReady(pool, migration),
    close: () => pool.end(),
  };
}
