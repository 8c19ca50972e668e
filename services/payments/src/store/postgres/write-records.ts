import type { Tx } from '@kontoport/database';
import { addToOutbox, type OutboxEvent } from '@kontoport/events';
import type { Basket } from '../../domain/basket.model.ts';
import { INITIATION_KEY_MS } from '../../domain/basket.model.ts';
import type { Draft } from '../../domain/draft.model.ts';
import type { StandingOrder } from '../../domain/standing-order.model.ts';
import { type Column, type RecordTable, setVersion, versionOf } from './record-table.ts';

/** The changes of one table. */
export interface TableWrite<T extends object> {
  table: RecordTable<T>;
  /** The records that the decision is based on; none may have changed since. */
  read: readonly T[];
  /** New states of some of `read`. */
  changed: readonly T[];
  made: readonly T[];
}

/** The changes of one decision, which is about one client. */
export interface RecordWrite {
  /** In the order in which their rows are locked: baskets, drafts, standing orders. */
  tables: readonly TableWrite<Draft | Basket | StandingOrder>[];
  /** The new basket, stored with its payments and its X-Request-Id. */
  basket?: Basket | undefined;
  events: readonly OutboxEvent[];
  now: Date;
}

/** The changes of one table; omitted lists are empty. */
export function part<T extends Draft | Basket | StandingOrder>(
  table: RecordTable<T>,
  write: Partial<Omit<TableWrite<T>, 'table'>>,
): TableWrite<Draft | Basket | StandingOrder> {
  return { table, read: [], changed: [], made: [], ...write } as unknown as TableWrite<
    Draft | Basket | StandingOrder
  >;
}

/** Another transaction changed a record that was read, or took the id of a new one. */
export class WriteConflict extends Error {
  readonly code = '40001';
}

/**
 * Writes a decision, as a part of the caller's transaction. SQL (lock): the rows that were read are locked in one order for all
 * processes, and events are written in the transaction of what they tell.
 * @throws WriteConflict: the caller must roll back; also a database error 23505 when the key of the basket is another one's
 */
export async function writeRecords(tx: Tx, { tables, basket, events, now }: RecordWrite): Promise<void> {
  for (const own of tables) await lockUnchanged(tx, own);
  if (basket !== undefined) await releaseInitiationKey(tx, basket, now);
  for (const own of tables) {
    await insert(tx, own, now);
    await update(tx, own);
  }
  if (basket !== undefined) await saveBasketPayments(tx, basket);
  if (events.length > 0) await addToOutbox(tx, ...events);
}

/**
 * Writes those of some records that have not changed since they were read, and that nobody else holds. SQL (batch).
 * @param records.read as they were read, in the order of `changed`
 * @returns those that were written
 */
export async function writeUnchanged<T extends object>(
  tx: Tx,
  { table, read, changed }: { table: RecordTable<T>; read: readonly T[]; changed: readonly T[] },
): Promise<T[]> {
  if (changed.length === 0) return [];
  const columns = [...table.key, ...table.changing];
  const versions = { name: 'version', type: 'bigint', of: (record: T) => versionOf(record) };
  const { rows } = await tx.query<{ number: string; version: string }>({
    name: `${table.name}-claim`,
    text: `WITH mine AS MATERIALIZED (
             SELECT next.*, own.ctid AS place FROM ${unnest([...columns, versions], 'next', true)}
             CROSS JOIN LATERAL (
               SELECT ctid FROM ${table.name}
               WHERE client_id = next.client_id AND id = next.id AND version = next.version FOR UPDATE SKIP LOCKED
             ) AS own
           )
           UPDATE ${table.name} AS own SET ${assignments(table)} FROM mine AS next WHERE own.ctid = next.place
           RETURNING next.number, own.version`,
    values: [...columns.map(({ of }) => changed.map(of)), read.map(versions.of)],
  });
  const written = new Map(rows.map(({ number, version }) => [Number(number) - 1, version]));
  return changed.filter((record, at) => {
    const version = written.get(at);
    if (version !== undefined) setVersion(record, version);
    return version !== undefined;
  });
}

/** Rows of the first two parameters, which are the ids of one client and of its records. */
const ROWS_OF_CLIENT = 'own.client_id = ($1::uuid[])[1] AND own.id = ANY ($2::uuid[])';

type AnyWrite = TableWrite<Draft | Basket | StandingOrder>;

async function lockUnchanged(tx: Tx, { table, read }: AnyWrite): Promise<void> {
  if (read.length === 0) return;
  const { rowCount } = await tx.query({
    name: `${table.name}-lock`,
    // Conditions of the row alone: a join would leave the planner free to read the whole table.
    text: `SELECT FROM ${table.name} AS own
           WHERE ${ROWS_OF_CLIENT} AND version = ($3::bigint[])[array_position($2::uuid[], id)]
           ORDER BY id FOR UPDATE`,
    values: [...table.key.map(({ of }) => read.map(of)), read.map(versionOf)],
  });
  if (rowCount !== read.length) throw new WriteConflict();
}

/** Inserts new records; one replaces a record of its id that has lapsed. */
async function insert(tx: Tx, { table, made }: AnyWrite, now: Date): Promise<void> {
  if (made.length === 0) return;
  const { name, key, fixed, changing } = table;
  const columns = [...key, ...fixed, ...changing];
  const names = columns.map((column) => column.name);
  const { rowCount } = await tx.query({
    name: `${name}-insert`,
    text: `INSERT INTO ${name} (${names.join(', ')}) SELECT * FROM ${unnest(columns, 'fresh')}
           ON CONFLICT (client_id, id) DO UPDATE SET
             ${names.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
           WHERE ${name}.lapses_at <= $${columns.length + 1}`,
    values: [...columns.map(({ of }) => made.map(of)), now],
  });
  if (rowCount !== made.length) throw new WriteConflict();
}

async function update(tx: Tx, { table, changed }: AnyWrite): Promise<void> {
  if (changed.length === 0) return;
  const columns = [...table.key, ...table.changing];
  await tx.query({
    name: `${table.name}-update`,
    text: `UPDATE ${table.name} AS own SET ${assignments(table)} FROM ${unnest(columns, 'next')}
           WHERE ${ROWS_OF_CLIENT} AND own.id = next.id`,
    values: columns.map(({ of }) => changed.map(of)),
  });
}

/** Releases the X-Request-Id from a basket whose 24 hours are over. */
async function releaseInitiationKey(tx: Tx, { clientId, initiatedBy }: Basket, now: Date): Promise<void> {
  if (initiatedBy?.key === undefined) return;
  await tx.query({
    name: 'basket-free-key',
    text: `UPDATE basket SET initiation_key = NULL
           WHERE client_id = $1 AND initiation_key = $2 AND (created_at <= $3 OR lapses_at <= $4)`,
    values: [clientId, initiatedBy.key, new Date(now.getTime() - INITIATION_KEY_MS), now],
  });
}

/** Stores the payments of the basket, replacing those of an expired basket with its id. */
async function saveBasketPayments(tx: Tx, { clientId, requestId, paymentIds }: Basket): Promise<void> {
  await tx.query({
    name: 'basket-drop-payments',
    text: 'DELETE FROM basket_payment WHERE client_id = $1 AND basket_id = $2',
    values: [clientId, requestId],
  });
  await tx.query({
    name: 'basket-keep-payments',
    text: `INSERT INTO basket_payment (payment_id, client_id, basket_id)
           SELECT payment_id, $2, $3 FROM unnest($1::uuid[]) AS payment_id`,
    values: [paymentIds, clientId, requestId],
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

function assignments<T>({ changing }: { changing: readonly Column<T>[] }): string {
  return changing.map(({ name }) => `${name} = next.${name}`).join(', ');
}
