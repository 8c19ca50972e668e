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
  /** When a worker processes it next. */
  dueAt: Date | undefined;
  /** When it expires; undefined while it waits. */
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

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a column of UUIDs can hold it; what cannot be an id names nothing. */
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

/** The record of a row; `versionOf` knows its version. */
export function recordOf<T extends object>({ content, version }: RecordRow): T {
  const record = fromDocument<T>(content);
  VERSIONS.set(record, String(version));
  return record;
}

/** The version that a record was read, or written, with; undefined for one that comes from elsewhere. */
export function versionOf(record: object): string | undefined {
  return VERSIONS.get(record);
}

/** Notes the version that a record was written with. */
export function setVersion(record: object, version: string): void {
  VERSIONS.set(record, version);
}

/** The conditions that the three tables share. */
type RecordWhere = Prisma.StandingOrderWhereInput & Prisma.DraftWhereInput & Prisma.BasketWhereInput;

/** What a table of records needs of its Prisma delegate. */
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

/** A table of records: documents with the columns by which they are found (ADR-0026). Who owns them is part of each statement. */
export class RecordTable<T extends object> {
  readonly name: Name;
  /** The columns that name a row. */
  readonly key: readonly Column<T>[];
  /** The columns that stay as long as the record does. */
  readonly fixed: readonly Column<T>[];
  /** The columns that a change may change. */
  readonly changing: readonly Column<T>[];

  /** @param more columns that no other table has, which stay as they are */
  constructor(name: Name, columnsOf: (record: T) => RecordColumns, more: readonly Column<T>[] = []) {
    this.name = name;
    const column = (as: string, type: string, of: keyof RecordColumns): Column<T> => ({
      name: as,
      type,
      of: (record) => columnsOf(record)[of] ?? null,
    });
    this.key = [column('client_id', 'uuid', 'clientId'), column('id', 'uuid', 'id')];
    this.fixed = [
      column('consent_id', 'uuid', 'consentId'),
      column('organization', 'text', 'organization'),
      column('created_at', 'timestamptz', 'createdAt'),
      ...more,
    ];
    this.changing = [
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

  /** Deletes a record, unless it changed since it was read. @returns whether it is deleted */
  async drop(tx: Tx, record: T): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: `${this.name}-drop`,
      text: `DELETE FROM ${this.name} WHERE client_id = $1 AND id = $2 AND version = $3`,
      values: [...this.key.map(({ of }) => of(record)), versionOf(record)],
    });
    return rowCount === 1;
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

  #rows(prisma: PrismaTx): Rows {
    const { draft, basket, standingOrder: standing_order } = prisma;
    return { draft, basket, standing_order }[this.name];
  }
}

export function recordsOf<T extends object>(rows: readonly RecordRow[]): T[] {
  return rows.map((row) => recordOf<T>(row));
}
