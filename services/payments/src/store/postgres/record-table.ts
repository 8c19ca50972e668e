import type { Tx } from '@kontoport/database';
import type { Owner } from '../../domain/owner.model.ts';
import type { PrismaTx } from '../../gen/db.ts';
import type { Prisma } from '../../gen/prisma/client.ts';
import { fromDocument, toDocument } from './document.ts';

/** The columns by which a record is found, beside its document. */
export interface RecordColumns {
  clientId: string;
  /** UUID, unique per client. */
  id: string;
  consentId: string | undefined;
  organization: string;
  createdAt: Date;
  /** The time at which a worker processes it next. */
  dueAt: Date | undefined;
  /** The time of its expiry; undefined while it waits. */
  lapsesAt: Date | undefined;
  /** Whether it counts for the quotas of its client and its organization. */
  counted: boolean;
}

/** An owner at a moment; expired records are not found. */
export interface OwnerAt extends Owner {
  now: Date;
}

/** Some records of an owner. */
export interface RecordKeys extends OwnerAt {
  ids: readonly string[];
}

/** A column with its type, and the value that a record has there. */
export interface Column<T> {
  name: string;
  type: string;
  of: (record: T) => unknown;
}

/** The changes of a decision to one table; omitted lists are empty. */
interface RecordChanges<T> {
  /** New states of records that the transaction has locked. */
  changed?: readonly T[];
  made?: readonly T[];
}

/** Writes the changes of a decision to one table, as a part of a transaction. */
export interface TableWrite {
  isChange: boolean;
  /** @throws WriteConflict when another record has the id of a new one */
  store(tx: Tx, now: Date): Promise<void>;
}

/** Another transaction took the id of a new record. */
export class WriteConflict extends Error {
  readonly code = '40001';
}

/** Rows of the first two parameters, which are the ids of one client and of its records. */
const ROWS_OF_CLIENT = 'own.client_id = ($1::uuid[])[1] AND own.id = ANY ($2::uuid[])';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a column of UUIDs can hold it; a value that cannot be an id matches nothing. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}

/** A row as Prisma or the driver reads it. */
export interface RecordRow {
  content: unknown;
  version: bigint | string;
}

/** The columns of `RecordRow`, for Prisma. */
export const ROW = { content: true, version: true } as const;

/** Condition of a record that has not lapsed. */
export const livesAt = (now: Date) => ({ OR: [{ lapsesAt: null }, { lapsesAt: { gt: now } }] });

/** Condition of a record of an owner that has not lapsed. */
export const ownedBy = ({ clientId, consentId, now }: OwnerAt) => ({
  clientId,
  ...(consentId !== undefined && { consentId }),
  ...livesAt(now),
});

/** The version of the row that each record was read from. */
const VERSIONS = new WeakMap<object, string>();

/** The version that a record was read, or written, with; undefined for one that comes from elsewhere. */
function versionOf(record: object): string | undefined {
  return VERSIONS.get(record);
}

/** The conditions that the three tables share. */
type RecordWhere = Prisma.StandingOrderWhereInput & Prisma.DraftWhereInput & Prisma.BasketWhereInput;

/** The part of its Prisma delegate that a table of records uses. */
interface Rows {
  findMany(query: {
    where: RecordWhere;
    orderBy?: ({ dueAt: 'asc' } | { createdAt: 'asc' } | { id: 'asc' })[];
    take?: number;
    select: typeof ROW;
  }): PromiseLike<RecordRow[]>;
  deleteMany(query: { where: RecordWhere; limit?: number }): PromiseLike<{ count: number }>;
}

type Name = 'draft' | 'basket' | 'standing_order';

/** A table of records: documents with the columns by which they are found (ADR-0026). Every statement contains the owner. */
export class RecordTable<T extends object> {
  readonly name: Name;
  /** The columns that name a row. */
  readonly #key: readonly Column<T>[];
  /** The columns that stay as long as the record does. */
  readonly #fixed: readonly Column<T>[];
  /** The columns that a change may change. */
  readonly #changing: readonly Column<T>[];

  /** @param more columns that no other table has, which stay as they are */
  constructor(name: Name, columnsOf: (record: T) => RecordColumns, more: readonly Column<T>[] = []) {
    this.name = name;
    const column = (as: string, type: string, of: keyof RecordColumns): Column<T> => ({
      name: as,
      type,
      of: (record) => columnsOf(record)[of] ?? null,
    });
    this.#key = [column('client_id', 'uuid', 'clientId'), column('id', 'uuid', 'id')];
    this.#fixed = [
      column('consent_id', 'uuid', 'consentId'),
      column('organization', 'text', 'organization'),
      column('created_at', 'timestamptz', 'createdAt'),
      ...more,
    ];
    this.#changing = [
      column('due_at', 'timestamptz', 'dueAt'),
      column('lapses_at', 'timestamptz', 'lapsesAt'),
      column('counted', 'boolean', 'counted'),
      { name: 'content', type: 'json', of: toDocument },
    ];
  }

  async find(prisma: PrismaTx, { ids, ...owner }: RecordKeys): Promise<T[]> {
    const where = { ...ownedBy(owner), id: { in: ids.filter(isUuid) } };
    return recordsOf(await this.#rows(prisma).findMany({ where, select: ROW }));
  }

  /** Lists the counted records of the owner, oldest first. */
  async listCounted(prisma: PrismaTx, owner: OwnerAt): Promise<T[]> {
    const where = { ...ownedBy(owner), counted: true };
    const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
    return recordsOf(await this.#rows(prisma).findMany({ where, orderBy, select: ROW }));
  }

  /** The records whose `due_at` has come, oldest first. */
  async findDue(prisma: PrismaTx, { now, limit }: { now: Date; limit: number }): Promise<T[]> {
    const where = { dueAt: { lte: now } };
    return recordsOf(
      await this.#rows(prisma).findMany({ where, orderBy: [{ dueAt: 'asc' }], take: limit, select: ROW }),
    );
  }

  /** The records, locked until the end of the transaction. SQL (lock): in the order of their ids, as all writers lock them. */
  async lock(tx: Tx, { ids, clientId, consentId, now }: RecordKeys): Promise<T[]> {
    const { rows } = await tx.query<RecordRow>({
      name: `${this.name}-lock-records`,
      text: `SELECT content, version FROM ${this.name}
             WHERE client_id = $1 AND id = ANY ($2::uuid[]) AND ($3::uuid IS NULL OR consent_id = $3)
               AND (lapses_at IS NULL OR lapses_at > $4)
             ORDER BY id FOR UPDATE`,
      values: [clientId, ids.filter(isUuid), consentId ?? null, now],
    });
    return recordsOf(rows);
  }

  /** The changes of a decision to this table, for `writeRecords`. */
  write({ changed = [], made = [] }: RecordChanges<T>): TableWrite {
    return {
      isChange: changed.length + made.length > 0,
      store: async (tx, now) => {
        await this.#insert(tx, made, now);
        await this.#update(tx, changed);
      },
    };
  }

  /**
   * Writes the records that have not changed since they were read, and that no other process has locked. SQL (batch).
   * @param read as they were read, in the order of `changed`
   * @returns those that were written
   */
  async writeUnchanged(tx: Tx, read: readonly T[], changed: readonly T[]): Promise<T[]> {
    if (changed.length === 0) return [];
    const columns = [...this.#key, ...this.#changing];
    const versions = { name: 'version', type: 'bigint', of: (record: T) => versionOf(record) };
    const { rows } = await tx.query<{ number: string; version: string }>({
      name: `${this.name}-claim`,
      text: `WITH mine AS MATERIALIZED (
               SELECT next.*, own.ctid AS place FROM ${unnest([...columns, versions], 'next', true)}
               CROSS JOIN LATERAL (
                 SELECT ctid FROM ${this.name}
                 WHERE client_id = next.client_id AND id = next.id AND version = next.version FOR UPDATE SKIP LOCKED
               ) AS own
             )
             UPDATE ${this.name} AS own SET ${assignments(this.#changing)} FROM mine AS next WHERE own.ctid = next.place
             RETURNING next.number, own.version`,
      values: [...columns.map(({ of }) => changed.map(of)), read.map(versions.of)],
    });
    const written = new Map(rows.map(({ number, version }) => [Number(number) - 1, version]));
    return changed.filter((record, at) => {
      const version = written.get(at);
      if (version !== undefined) VERSIONS.set(record, version);
      return version !== undefined;
    });
  }

  /** Deletes a record that the transaction has locked. */
  async drop(tx: Tx, record: T): Promise<void> {
    await tx.query({
      name: `${this.name}-drop`,
      text: `DELETE FROM ${this.name} WHERE client_id = $1 AND id = $2`,
      values: this.#key.map(({ of }) => of(record)),
    });
  }

  /** Deletes at most `limit` of the client's records, except payments that wait for the bank. @returns how many */
  async dropOf(prisma: PrismaTx, clientId: string, limit: number): Promise<number> {
    const where = { clientId, ...(this.name === 'draft' && { dueAt: null }) };
    return (await this.#rows(prisma).deleteMany({ where, limit })).count;
  }

  /**
   * Deletes at most `limit` expired records. SQL (lock): skips rows that others have locked.
   * @returns how many
   */
  async dropLapsed(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<number> {
    const { rowCount } = await tx.query({
      name: `${this.name}-drop-lapsed`,
      text: `DELETE FROM ${this.name} WHERE (client_id, id) IN (
               SELECT client_id, id FROM ${this.name} WHERE lapses_at <= $1
               ORDER BY lapses_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      values: [now, limit],
    });
    return rowCount ?? 0;
  }

  /** Inserts new records; one replaces a record of its id that has lapsed. */
  async #insert(tx: Tx, made: readonly T[], now: Date): Promise<void> {
    if (made.length === 0) return;
    const columns = [...this.#key, ...this.#fixed, ...this.#changing];
    const names = columns.map(({ name }) => name);
    const { rowCount } = await tx.query({
      name: `${this.name}-insert`,
      text: `INSERT INTO ${this.name} (${names.join(', ')}) SELECT * FROM ${unnest(columns, 'fresh')}
             ON CONFLICT (client_id, id) DO UPDATE SET
               ${names.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}
             WHERE ${this.name}.lapses_at <= $${columns.length + 1}`,
      values: [...columns.map(({ of }) => made.map(of)), now],
    });
    if (rowCount !== made.length) throw new WriteConflict();
  }

  async #update(tx: Tx, changed: readonly T[]): Promise<void> {
    if (changed.length === 0) return;
    const columns = [...this.#key, ...this.#changing];
    await tx.query({
      name: `${this.name}-update`,
      text: `UPDATE ${this.name} AS own SET ${assignments(this.#changing)} FROM ${unnest(columns, 'next')}
             WHERE ${ROWS_OF_CLIENT} AND own.id = next.id`,
      values: columns.map(({ of }) => changed.map(of)),
    });
  }

  #rows(prisma: PrismaTx): Rows {
    const { draft, basket, standingOrder: standing_order } = prisma;
    return { draft, basket, standing_order }[this.name];
  }
}

/** The records of rows; `versionOf` knows their versions. */
export function recordsOf<T extends object>(rows: readonly RecordRow[]): T[] {
  return rows.map(({ content, version }) => {
    const record = fromDocument<T>(content);
    VERSIONS.set(record, String(version));
    return record;
  });
}

/** Rows of parameters, one list for each column; with `isNumbered` a last column `number`. */
function unnest<T>(columns: readonly Column<T>[], name: string, isNumbered = false): string {
  const lists = columns.map(({ type }, at) => `$${at + 1}::${type}[]`);
  const names = columns.map((column) => column.name);
  return isNumbered
    ? `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${name} (${[...names, 'number'].join(', ')})`
    : `unnest(${lists.join(', ')}) AS ${name} (${names.join(', ')})`;
}

/** `column = next.column` for each. */
function assignments(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => `${name} = next.${name}`).join(', ');
}
