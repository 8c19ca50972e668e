import type { Tx } from '@kontoport/database';
import type { Owner } from '../owner.model.ts';
import { fromDocument, toDocument } from './document.ts';

/** The columns by which a record is found, beside its document. */
export interface RecordColumns {
  clientId: string;
  /** UUID, unique per client. */
  id: string;
  consentId: string | undefined;
  organization: string;
  createdAt: Date;
  /** When something is to be done about it. */
  dueAt: Date | undefined;
  /** When it is forgotten; undefined while it waits. */
  lapsesAt: Date | undefined;
  /** Whether it takes one of the places that its client and its organization have. */
  counted: boolean;
}

/** Some records of an owner. */
export interface RecordKeys extends Owner {
  ids: readonly string[];
  now: Date;
}

/** How a read treats what it finds: holds it until the end of the transaction, or remembers its version. */
export interface Reading {
  hold: boolean;
}

/** A column with its type, and what a record has there. */
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

/** What every statement that reads for an owner asks: $1 clientId, $2 consentId or null, $3 now. */
export const OWN = `client_id = $1 AND ($2::uuid IS NULL OR consent_id = $2)
             AND (lapses_at IS NULL OR lapses_at > $3)`;

/** A record, and the transaction that wrote its row: another one means that it changed. */
export const RECORD = 'content::text AS document, xmin::text AS version';

export interface RecordRow {
  document: string;
  version: string;
}

/** The version of the row that each record was read from. */
const VERSIONS = new WeakMap<object, string>();

/** The record of a row, which knows its version. */
export function recordOf<T extends object>({ document, version }: RecordRow): T {
  const record = fromDocument<T>(document);
  VERSIONS.set(record, version);
  return record;
}

/** The version that it was read, or written, with; undefined for one that comes from nowhere. */
export function versionOf(record: object): string | undefined {
  return VERSIONS.get(record);
}

/** Notes the version that it was written with. */
export function setVersion(record: object, version: string): void {
  VERSIONS.set(record, version);
}

/** A table of records: documents with the columns by which they are found (ADR 57). Who owns them is part of each statement. */
export class RecordTable<T extends object> {
  readonly name: 'draft' | 'basket' | 'standing_order';
  /** By which a row is named. */
  readonly key: readonly Column<T>[];
  /** What stays as long as the record does. */
  readonly fixed: readonly Column<T>[];
  /** What a change may change. */
  readonly changing: readonly Column<T>[];

  /** @param more columns that no other table has, which stay as they are */
  constructor(
    name: 'draft' | 'basket' | 'standing_order',
    columnsOf: (record: T) => RecordColumns,
    more: readonly Column<T>[] = [],
  ) {
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

  async find(tx: Tx, { clientId, consentId, ids, now }: RecordKeys, reading?: Reading): Promise<T[]> {
    return this.#read(tx, {
      name: 'find',
      text: `SELECT ${RECORD} FROM ${this.name} WHERE ${OWN} AND id = ANY ($4::uuid[])`,
      // Whoever holds several does so in one order.
      holding: 'ORDER BY id FOR UPDATE',
      reading,
      values: [clientId, consentId, now, ids.filter(isUuid)],
    });
  }

  /** One record of an owner by a condition over $4; never more than one. */
  async findBy(
    tx: Tx,
    { clientId, consentId, now }: Omit<RecordKeys, 'ids'>,
    by: { name: string; condition: string; value: unknown },
  ): Promise<T | undefined> {
    const [found] = await this.#read(tx, {
      name: `by-${by.name}`,
      text: `SELECT ${RECORD} FROM ${this.name} WHERE ${OWN} AND ${by.condition}
             ORDER BY created_at DESC LIMIT 1`,
      values: [clientId, consentId, now, by.value],
    });
    return found;
  }

  /** All of the owner that take a place, oldest first. */
  async listCounted(tx: Tx, { clientId, consentId, now }: Omit<RecordKeys, 'ids'>): Promise<T[]> {
    return this.#read(tx, {
      name: 'counted',
      text: `SELECT ${RECORD} FROM ${this.name} WHERE ${OWN} AND counted
             ORDER BY created_at, id`,
      values: [clientId, consentId, now],
    });
  }

  /** Those of the column `due_at` whose time has come, oldest first. */
  async findDue(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<T[]> {
    return this.#read(tx, {
      name: 'due',
      text: `SELECT ${RECORD} FROM ${this.name} WHERE due_at <= $1 ORDER BY due_at LIMIT $2`,
      values: [now, limit],
    });
  }

  /** The record behind a link, whoever asks. */
  async findByApproval(
    tx: Tx,
    { approvalId, now }: { approvalId: string; now: Date },
    reading?: Reading,
  ): Promise<T | undefined> {
    const [found] = await this.#read(tx, {
      name: 'by-approval',
      text: `SELECT ${RECORD} FROM ${this.name}
             WHERE approval_id = $1 AND (lapses_at IS NULL OR lapses_at > $2)`,
      holding: 'FOR UPDATE',
      reading,
      values: [approvalId, now],
    });
    return found;
  }

  /** Forgets a record, unless it changed since it was read. @returns whether it is gone */
  async drop(tx: Tx, record: T): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: `${this.name}-drop-one`,
      text: `DELETE FROM ${this.name} WHERE client_id = $1 AND id = $2 AND xmin = $3::text::xid`,
      values: [...this.key.map(({ of }) => of(record)), versionOf(record)],
    });
    return rowCount === 1;
  }

  /** Forgets at most `limit` of the client's records, but for those that wait for the bank. @returns how many */
  async dropOf(tx: Tx, clientId: string, { limit, but }: { limit: number; but: string }): Promise<number> {
    const { rowCount } = await tx.query({
      name: `${this.name}-drop`,
      text: `DELETE FROM ${this.name} WHERE client_id = $1 AND id IN (
               SELECT id FROM ${this.name} WHERE client_id = $1 AND NOT (${but}) LIMIT $2)`,
      values: [clientId, limit],
    });
    return rowCount ?? 0;
  }

  /** Forgets at most `limit` records whose time is over; what others hold waits. @returns how many */
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

  /** How many take a place, of the client and of its organization, each counted up to `limit`. */
  async countOf(
    tx: Tx,
    { clientId, organization, limit }: { clientId: string; organization: string; limit: number },
  ): Promise<{ ofClient: number; ofOrganization: number }> {
    const counted = `SELECT FROM ${this.name} WHERE counted AND organization = $1`;
    const { rows } = await tx.query<{ ofClient: number; ofOrganization: number }>({
      name: `${this.name}-count`,
      text: `SELECT (SELECT count(*)::int FROM (${counted} AND client_id = $2 LIMIT $3) AS own) AS "ofClient",
                    (SELECT count(*)::int FROM (${counted} LIMIT $3) AS whole) AS "ofOrganization"`,
      values: [organization, clientId, limit],
    });
    return rows[0]!;
  }

  async #read(
    tx: Tx,
    query: { name: string; text: string; values: unknown[]; holding?: string; reading?: Reading | undefined },
  ): Promise<T[]> {
    const { holding, reading, values } = query;
    const { rows } = await tx.query<RecordRow>({
      name: `${this.name}-${reading?.hold ? 'hold' : 'find'}-${query.name}`,
      text: reading?.hold ? `${query.text} ${holding}` : query.text,
      values,
    });
    return rows.map((row) => recordOf<T>(row));
  }
}
