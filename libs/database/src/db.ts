import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { databaseReady, migratedReady, openPool, type PoolOptions } from './pool.ts';
import type { Statement, Tx } from './transaction.ts';

/** The generated client reaches the database through it. */
export type PrismaAdapter = PrismaPg;

/**
 * The database of a service: Prisma for ordinary reads and writes, SQL for exact ones (ADR-0038). SQL that may be part
 * of a transaction has a parameter `Tx`: this handle, or the connection of a transaction.
 */
export interface Db<Prisma = unknown> extends Tx {
  /** The generated client of the service. */
  readonly prisma: Prisma;
  readonly pool: pg.Pool;
  /** The reason why the database is unusable, for `/readyz`; nothing when it answers and has every migration. */
  readiness(): Promise<string | undefined>;
  /** Waits for the statements in flight. */
  close(): Promise<void>;
}

/**
 * Opens a pool and the generated Prisma client over it. It connects with the first query.
 * @param options.url, options.tls from `databaseAccess`
 * @param options.max connections (default 10)
 * @param options.applicationName in pg_stat_activity: the service, and the purpose of the pool if it has several
 * @param options.prisma makes the generated client: `createPrisma` of the service
 * @param options.migration the migration that readiness requires: `MIGRATION` of the service
 */
export function openDb<Prisma>(
  options: PoolOptions & {
    prisma: (adapter: PrismaAdapter) => Prisma;
    migration?: string | undefined;
  },
): Db<Prisma> {
  const { prisma, migration } = options;
  const pool = openPool(options);
  return {
    prisma: prisma(new PrismaPg(pool)),
    pool,
    query: pool.query.bind(pool),
    readiness: migration === undefined ? () => databaseReady(pool) : migratedReady(pool, migration),
    close: () => pool.end(),
  };
}

/** The connection on which a library writes by SQL: a `Tx`, or a transaction of Prisma by `sqlWriter`. */
export interface SqlWriter {
  query(statement: Statement): Promise<unknown>;
}

/** A transaction of Prisma for libraries that write by SQL, such as the outbox. */
export function sqlWriter(tx: {
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>;
}): SqlWriter {
  return { query: ({ text, values = [] }) => tx.$executeRawUnsafe(text, ...(values as unknown[])) };
}
