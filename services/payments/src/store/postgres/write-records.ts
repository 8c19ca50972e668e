import type { Tx } from '@kontoport/database';
import { type OutboxEvent, outboxSteps, outboxValues } from '@kontoport/events';
import type { Basket } from '../../baskets/basket.model.ts';
import { INITIATION_KEY_MS } from '../../baskets/basket.model.ts';
import type { Draft } from '../../drafts/draft.model.ts';
import type { StandingOrder } from '../../standing-orders/standing-order.model.ts';
import { type Column, type RecordTable, setVersion, versionOf } from './record-table.ts';

/** What becomes of the records of one table. */
export interface TableWrite<T extends object> {
  table: RecordTable<T>;
  /** What was decided by: all of it must still be as it was read. */
  read: readonly T[];
  /** New states of some of what was read. */
  changed: readonly T[];
  made: readonly T[];
}

/** What one decision writes. */
export interface Write {
  /** In the order in which their rows are held: baskets, drafts, standing orders. */
  tables: readonly TableWrite<Draft | Basket | StandingOrder>[];
  /** The new basket, whose payments and whose key are kept with it. */
  basket?: Basket | undefined;
  events: readonly OutboxEvent[];
  now: Date;
}

/** A table's part of a write; what is left out is empty. */
export function part<T extends Draft | Basket | StandingOrder>(
  table: RecordTable<T>,
  write: Partial<Omit<TableWrite<T>, 'table'>>,
): TableWrite<Draft | Basket | StandingOrder> {
  return { table, read: [], changed: [], made: [], ...write } as unknown as TableWrite<
    Draft | Basket | StandingOrder
  >;
}

/**
 * Writes a decision in one statement: all of it, or nothing where anything that it was decided by has changed since, or where the
 * id of what is new is taken; what lapsed frees its id.
 * @returns whether it was written
 * @throws a database error 23505 when the key of the basket stands for another one
 */
export async function writeRecords(tx: Tx, write: Write): Promise<boolean> {
  const { rowCount } = await tx.query(writeStatement(write));
  return rowCount === 1;
}

/**
 * Writes those of some records that have not changed since they were read, and that nobody else holds.
 * @param records.read as they were read, in the order of `changed`
 * @returns those that were written
 */
export async function writeUnchanged<T extends object>(
  tx: Tx,
  { table, read, changed }: { table: RecordTable<T>; read: readonly T[]; changed: readonly T[] },
): Promise<T[]> {
  if (changed.length === 0) return [];
  const statement = new Statement();
  const versions = changed.map((_, i) => versionOf(read[i]!));
  const next = statement.rows(changed, [...table.key, ...table.changing], versions);
  const { rows } = await tx.query<{ id: string; version: string }>({
    name: `${table.name}-claim-${statement.shape}`,
    text: `WITH mine AS MATERIALIZED (
             SELECT next.* FROM (${next}) AS next JOIN ${table.name} AS own
               ON own.client_id = next.client_id AND own.id = next.id AND own.xmin = next.version::xid
             FOR UPDATE OF own SKIP LOCKED
           )
           UPDATE ${table.name} AS own SET ${assignments(table)} FROM mine AS next
           WHERE own.client_id = next.client_id AND own.id = next.id
           RETURNING own.client_id || ' ' || own.id AS id, own.xmin::text AS version`,
    values: statement.values,
  });
  const written = new Map(rows.map(({ id, version }) => [id, version]));
  return changed.filter((record) => {
    const version = written.get(table.key.map(({ of }) => of(record)).join(' '));
    if (version !== undefined) setVersion(record, version);
    return version !== undefined;
  });
}

/** Text and values of a statement that is made step by step; its shape names the text, within the 63 bytes of a name. */
class Statement {
  readonly values: unknown[] = [];
  readonly steps: string[] = [];
  shape = '';

  /** A value, where the text needs one. */
  value(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** The columns of some records as rows, and a last column `version`. */
  rows<T>(records: readonly T[], columns: readonly Column<T>[], versions?: readonly unknown[]): string {
    const isOne = records.length === 1;
    this.shape += isOne ? '1' : 'n';
    const given = [...columns, ...(versions ? [{ name: 'version', type: 'text' }] : [])];
    const lists = [...columns.map(({ of }) => records.map(of)), ...(versions ? [versions] : [])];
    if (isOne)
      return `SELECT ${given.map(({ name, type }, i) => `${this.value(lists[i]![0], type)} AS ${name}`).join(', ')}`;
    const unnested = given.map(({ type }, i) => this.value(lists[i], `${type}[]`));
    return `SELECT * FROM unnest(${unnested.join(', ')}) AS given (${given.map(({ name }) => name).join(', ')})`;
  }
}

function assignments<T>({ changing }: { changing: readonly Column<T>[] }): string {
  return changing.map(({ name }) => `${name} = next.${name}`).join(', ');
}

type AnyWrite = TableWrite<Draft | Basket | StandingOrder>;

function writeStatement({ tables, basket, events, now }: Write): {
  name: string;
  text: string;
  values: unknown[];
} {
  const statement = new Statement();
  const parts = tables.filter(({ read, made }) => read.length + made.length > 0);
  const [first] = parts;
  // The one row that changes is its own proof.
  const isAlone = parts.length === 1 && first!.made.length === 0 && first!.read.length === 1;
  let proof = isAlone ? '' : held(statement, parts);
  if (basket) proof = `${proof} AND ${freeKey(statement, basket, now)}`;
  let isFirst = true;
  for (const own of parts) {
    if (own.made.length === 0) continue;
    const made = make(statement, { own, proof, isFirst, now });
    if (isFirst) proof = made;
    isFirst = false;
  }
  for (const own of parts) {
    if (own.changed.length === 0) continue;
    const changed = change(statement, { own, proof });
    if (isAlone) proof = changed;
  }
  if (basket) keepPayments(statement, basket, proof);
  if (events.length > 0) {
    statement.shape += '-events';
    statement.steps.push(outboxSteps(statement.values.length + 1, proof));
    statement.values.push(...outboxValues(events));
  }
  return {
    name: `write${statement.shape}`,
    text: `WITH ${statement.steps.join(',\n')}\nSELECT WHERE ${proof}`,
    values: statement.values,
  };
}

/** Holds the rows of what was read, in one order for all; proves that they are all as they were. */
function held(statement: Statement, parts: readonly AnyWrite[]): string {
  const proofs = parts
    .filter(({ read }) => read.length > 0)
    .map(({ table, read }) => {
      statement.shape += `-h${table.name[0]}`;
      const rows = statement.rows(read, table.key, read.map(versionOf));
      statement.steps.push(`${table.name}_held AS MATERIALIZED (
        SELECT FROM (${rows}) AS was JOIN ${table.name} AS own
          ON own.client_id = was.client_id AND own.id = was.id AND own.xmin = was.version::xid
        ORDER BY own.id FOR UPDATE OF own)`);
      return `(SELECT count(*) FROM ${table.name}_held) = ${statement.value(read.length, 'int')}`;
    });
  return proofs.length === 0 ? 'true' : proofs.join(' AND ');
}

/**
 * Inserts what is new. The first, which is one record, proves that its id was free, also where one lapsed that had it; what comes
 * with it has ids of ours, and one that is taken ends the statement.
 */
function make(statement: Statement, step: { own: AnyWrite; proof: string; isFirst: boolean; now: Date }) {
  const { own, proof, isFirst, now } = step;
  const { name, key, fixed, changing } = own.table;
  const columns = [...key, ...fixed, ...changing];
  const names = columns.map((column) => column.name);
  statement.shape += `-m${name[0]}`;
  const rows = statement.rows(own.made, columns);
  const onConflict = `ON CONFLICT (client_id, id) DO UPDATE SET
      ${names.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
    WHERE ${name}.lapses_at <= `;
  statement.steps.push(`${name}_made AS (
    INSERT INTO ${name} (${names.join(', ')}) SELECT * FROM (${rows}) AS fresh WHERE ${proof}
    ${isFirst ? onConflict + statement.value(now, 'timestamptz') : ''} RETURNING id)`);
  return `(SELECT count(*) FROM ${name}_made) = 1`;
}

/** Updates what changed, where that is proven; without a proof, where the one row is as it was read. */
function change(statement: Statement, { own, proof }: { own: AnyWrite; proof: string }): string {
  const { table, read, changed } = own;
  const { name, key, changing } = table;
  statement.shape += `-c${name[0]}`;
  const rows = statement.rows(changed, [...key, ...changing]);
  const isProven = proof || `own.xmin = ${statement.value(versionOf(read[0]!), 'text')}::xid`;
  statement.steps.push(`${name}_changed AS (
    UPDATE ${name} AS own SET ${assignments(table)} FROM (${rows}) AS next
    WHERE own.client_id = next.client_id AND own.id = next.id AND ${isProven} RETURNING own.id)`);
  return `(SELECT count(*) FROM ${name}_changed) = 1`;
}

/** The key of what initiated the basket is free again after its time; one that is not ends the statement. */
function freeKey(statement: Statement, { clientId, initiatedBy }: Basket, now: Date): string {
  if (initiatedBy?.key === undefined) return 'true';
  statement.shape += '-key';
  const over = new Date(now.getTime() - INITIATION_KEY_MS);
  statement.steps.push(`freed AS (
    UPDATE basket SET initiation_key = NULL
    WHERE client_id = ${statement.value(clientId, 'uuid')}
      AND initiation_key = ${statement.value(initiatedBy.key, 'text')}
      AND (created_at <= ${statement.value(over, 'timestamptz')}
        OR lapses_at <= ${statement.value(now, 'timestamptz')})
    RETURNING id)`);
  return '(SELECT count(*) FROM freed) >= 0';
}

/** Leads from the payments to the basket; those of one that lapsed and had this id go with it. */
function keepPayments(statement: Statement, basket: Basket, proof: string): void {
  const clientId = statement.value(basket.clientId, 'uuid');
  const basketId = statement.value(basket.requestId, 'uuid');
  statement.steps.push(
    `lapsed AS (DELETE FROM basket_payment
       WHERE client_id = ${clientId} AND basket_id = ${basketId} AND ${proof})`,
    `paid AS (INSERT INTO basket_payment (payment_id, client_id, basket_id)
       SELECT payment_id, ${clientId}, ${basketId}
       FROM unnest(${statement.value(basket.paymentIds, 'uuid[]')}) AS payment_id WHERE ${proof})`,
  );
}
