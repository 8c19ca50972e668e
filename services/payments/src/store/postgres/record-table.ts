import type { Tx } from '@kontoport/database';
import type { Owner } from '../payment-store.ts';
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

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a column of UUIDs can hold it; what cannot be an id names nothing. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}

/** What every statement that reads for an owner asks: $1 clientId, $2 consentId or null, $3 now. */
const OWN = `client_id = $1 AND ($2::uuid IS NULL OR consent_id = $2)
             AND (lapses_at IS NULL OR lapses_at > $3)`;

/** A table of records: documents with the columns by which they are found (ADR 57). Who owns them is part of each statement. */
export class RecordTable<T extends object> {
  readonly name: string;
  readonly #columnsOf: (record: T) => RecordColumns;

  constructor(name: 'draft' | 'basket' | 'standing_order', columnsOf: (record: T) => RecordColumns) {
    this.name = name;
    this.#columnsOf = columnsOf;
  }

  async find(tx: Tx, { clientId, consentId, ids, now }: RecordKeys): Promise<T[]> {
    return this.#read(tx, {
      name: `${this.name}-find`,
      text: `SELECT content::text AS document FROM ${this.name} WHERE ${OWN} AND id = ANY ($4::uuid[])`,
      values: [clientId, consentId, now, ids.filter(isUuid)],
    });
  }

  /** The same, held until the end of the transaction; whoever locks several does so in one order. */
  async lock(tx: Tx, { clientId, consentId, ids, now }: RecordKeys): Promise<T[]> {
    return this.#read(tx, {
      name: `${this.name}-lock`,
      text: `SELECT content::text AS document FROM ${this.name} WHERE ${OWN} AND id = ANY ($4::uuid[])
             ORDER BY id FOR UPDATE`,
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
      name: `${this.name}-by-${by.name}`,
      text: `SELECT content::text AS document FROM ${this.name} WHERE ${OWN} AND ${by.condition}
             ORDER BY created_at DESC LIMIT 1`,
      values: [clientId, consentId, now, by.value],
    });
    return found;
  }

  /** All of the owner that take a place, oldest first. */
  async listCounted(tx: Tx, { clientId, consentId, now }: Omit<RecordKeys, 'ids'>): Promise<T[]> {
    return this.#read(tx, {
      name: `${this.name}-counted`,
      text: `SELECT content::text AS document FROM ${this.name} WHERE ${OWN} AND counted
             ORDER BY created_at, id`,
      values: [clientId, consentId, now],
    });
  }

  /**
   * Keeps a new record, in the place of one that lapsed.
   * @returns whether its id was free
   */
  async insert(tx: Tx, record: T, now: Date): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: `${this.name}-insert`,
      text: `${this.#upsert} WHERE ${this.name}.lapses_at <= $10`,
      values: [...this.#values([record]), now],
    });
    return rowCount === 1;
  }

  /** Keeps records that are new, or are held by this transaction. */
  async save(tx: Tx, records: readonly T[]): Promise<void> {
    if (records.length === 0) return;
    await tx.query({ name: `${this.name}-save`, text: this.#upsert, values: this.#values(records) });
  }

  /** Those of the column `due_at` whose time has come, oldest first, which nobody else holds; held from now on. */
  async lockDue(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<T[]> {
    return this.#read(tx, {
      name: `${this.name}-lock-due`,
      text: `SELECT content::text AS document FROM ${this.name} WHERE due_at <= $1
             ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      values: [now, limit],
    });
  }

  /** The record behind a link, whoever asks. */
  async findByApproval(tx: Tx, link: { approvalId: string; now: Date }): Promise<T | undefined> {
    return this.#readByApproval(tx, { ...link, name: 'find', holding: '' });
  }

  /** The same, held until the end of the transaction. */
  async lockByApproval(tx: Tx, link: { approvalId: string; now: Date }): Promise<T | undefined> {
    return this.#readByApproval(tx, { ...link, name: 'lock', holding: 'FOR UPDATE' });
  }

  /** Forgets a record that this transaction holds. */
  async drop(tx: Tx, { clientId, id }: { clientId: string; id: string }): Promise<void> {
    await tx.query({
      name: `${this.name}-drop-one`,
      text: `DELETE FROM ${this.name} WHERE client_id = $1 AND id = $2`,
      values: [clientId, id],
    });
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

  get #upsert(): string {
    const changing = ['due_at', 'lapses_at', 'counted', 'content'];
    const kept = ['consent_id', 'organization', 'created_at'];
    return `INSERT INTO ${this.name} (client_id, id, ${kept.join(', ')}, ${changing.join(', ')})
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[],
                                 $6::timestamptz[], $7::timestamptz[], $8::boolean[], $9::json[])
            ON CONFLICT (client_id, id) DO UPDATE SET
              ${[...kept, ...changing].map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`;
  }

  #values(records: readonly T[]): unknown[][] {
    const columns = records.map(this.#columnsOf);
    return [
      columns.map(({ clientId }) => clientId),
      columns.map(({ id }) => id),
      columns.map(({ consentId }) => consentId ?? null),
      columns.map(({ organization }) => organization),
      columns.map(({ createdAt }) => createdAt),
      columns.map(({ dueAt }) => dueAt ?? null),
      columns.map(({ lapsesAt }) => lapsesAt ?? null),
      columns.map(({ counted }) => counted),
      records.map(toDocument),
    ];
  }

  async #readByApproval(
    tx: Tx,
    by: { approvalId: string; now: Date; name: string; holding: string },
  ): Promise<T | undefined> {
    const [found] = await this.#read(tx, {
      name: `${this.name}-${by.name}-by-approval`,
      text: `SELECT content::text AS document FROM ${this.name}
             WHERE approval_id = $1 AND (lapses_at IS NULL OR lapses_at > $2) ${by.holding}`,
      values: [by.approvalId, by.now],
    });
    return found;
  }

  async #read(tx: Tx, query: { name: string; text: string; values: unknown[] }): Promise<T[]> {
    const { rows } = await tx.query<{ document: string }>(query);
    return rows.map(({ document }) => fromDocument<T>(document));
  }
}
