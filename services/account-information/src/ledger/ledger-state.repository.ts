import { listParameter as list, type Statement, type Tx } from '@kontoport/database';
import { type OutboxEvent, outboxInsert, outboxValues } from '@kontoport/events';
import { accessOfAccount } from '../accounts/account.repository.ts';
import type { Entry } from './entry.model.ts';
import {
  type Ending,
  entryOf,
  type LedgerState,
  type NewTransaction,
  type OpenAccount,
} from './ledger-state.model.ts';
import { replaceDetails } from './stored-transaction.repository.ts';

/** A row of the statement that locks accounts and reads entries. */
export interface LedgerRow {
  /** The id, in rows of accounts. */
  account: string | null;
  id: string;
  account_id: string;
  currency: string;
  bban: string | null;
  exposed: boolean | null;
  balance: string | null;
  reserved: string | null;
  credit_limit: string | null;
  last_posting_time: Date | null;
  /** A client appears once per consent. */
  audience: string[] | null;
  now: Date;
  status: NewTransaction['status'];
  refusal: NewTransaction['refusal'];
  billing_amount: string;
  authorized_amount: string | null;
  posting_time: Date | null;
  balance_after: string | null;
  removed_at: Date | null;
}

/** Reads transactions by their ids. Each account is looked up by its id, independent of the statistics. */
const ENTRIES = (
  ids: string,
): string => `SELECT NULL::uuid AS account, transaction.id, account_id, owner.currency,
    NULL::text AS bban, NULL::boolean AS exposed, NULL::bigint AS balance, NULL::bigint AS reserved, NULL::bigint AS credit_limit,
    NULL::timestamptz AS last_posting_time, NULL::uuid[] AS audience, NULL::timestamptz AS now,
    status, refusal, billing_amount, authorized_amount, posting_time, balance_after, removed_at
  FROM transaction CROSS JOIN LATERAL (
    SELECT currency FROM account WHERE account.id = transaction.account_id OFFSET 0
  ) AS owner
  WHERE transaction.id = ANY (${ids})`;

/** The time of a simulated account's clock. Other accounts have the real time and skip the function, which is ten times slower. */
const NOW = `CASE WHEN (SELECT true FROM sandbox_account WHERE account_id = locked.id) THEN account_clock(locked.id)
    ELSE clock_timestamp() END`;

const open = (lock: string): string => `WITH locked AS (
  SELECT id, currency, bban, type = 'CHECKING' AS exposed, balance, reserved, coalesce(credit_limit, 0) AS credit_limit, last_posting_time
  FROM account WHERE id = ANY (${list(1, 'uuid')}) FOR NO KEY UPDATE ${lock}
)
SELECT id AS account, NULL::uuid AS id, NULL::uuid AS account_id, currency, bban, exposed, balance, reserved, credit_limit,
  last_posting_time, ARRAY(
    SELECT client_id FROM ${accessOfAccount('locked.id')} WHERE 'PSP_AI' = ANY (roles)
  ) AS audience, ${NOW} AS now, NULL AS status, NULL AS refusal, NULL AS billing_amount, NULL AS authorized_amount,
  NULL AS posting_time, NULL AS balance_after, NULL AS removed_at
FROM locked
UNION ALL
${ENTRIES(list(2, 'uuid'))}`;

const OPEN = {
  skip: { name: 'lock-accounts', text: open('SKIP LOCKED') },
  wait: { name: 'lock-account-waiting', text: open('') },
};

/**
 * Makes the statement that locks accounts and reads the transactions under the ids. It may read the state of an id from
 * before the lock; `writeLedgerState` detects that. A statement that locks several accounts does not wait for any of them,
 * so that no two statements wait for each other.
 * @param options.accountIds several, or with `wait` a single one
 */
export function lockStatement(options: {
  accountIds: readonly string[];
  transactionIds: readonly string[];
  wait: boolean;
}): Statement {
  const { accountIds, transactionIds, wait } = options;
  return {
    ...(wait ? OPEN.wait : OPEN.skip),
    values: [accountIds, transactionIds],
  };
}

/** Reads the rows. Unknown accounts are missing, and without `wait` also locked ones. */
export function readLedgerState(rows: readonly LedgerRow[]): LedgerState {
  const accounts = new Map<string, OpenAccount>();
  const state: LedgerState = {
    accounts,
    entries: new Map(),
    added: new Map(),
    ended: new Map(),
    stored: new Map(),
    updates: new Map(),
    moved: new Set(),
  };
  for (const row of rows)
    if (row.account === null) state.entries.set(row.id, entryOf(transactionOf(row), row.currency));
    else accounts.set(row.account, accountOf(row.account, row));
  return state;
}

/** Finds the entry under an id. */
export async function findEntry(tx: Tx, transactionId: string): Promise<Entry | undefined> {
  const { rows } = await tx.query<LedgerRow>({
    name: 'find-entry',
    text: ENTRIES(list(1, 'uuid')),
    values: [[transactionId]],
  });
  const [row] = rows;
  return row && entryOf(transactionOf(row), row.currency);
}

/** Returns the accounts that exist. */
export async function findAccounts(tx: Tx, accountIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'find-ledger-accounts',
    text: `SELECT id FROM account WHERE id = ANY (${list(1, 'uuid')})`,
    values: [accountIds],
  });
  return new Set(rows.map(({ id }) => id));
}

/** The columns of a new transaction. */
const COLUMNS: readonly {
  name: string;
  type: string;
  of: (transaction: NewTransaction) => string | bigint | null;
}[] = [
  { name: 'id', type: 'uuid', of: ({ id }) => id },
  { name: 'account_id', type: 'uuid', of: ({ accountId }) => accountId },
  { name: 'status', type: 'text', of: ({ status }) => status },
  { name: 'type', type: 'text', of: ({ type }) => type },
  { name: 'transaction_time', type: 'timestamptz', of: ({ transactionTime }) => instant(transactionTime) },
  { name: 'posting_time', type: 'timestamptz', of: ({ postingTime }) => instant(postingTime) },
  { name: 'billing_amount', type: 'bigint', of: ({ billingAmount }) => billingAmount },
  { name: 'transaction_amount', type: 'bigint', of: ({ transactionAmount }) => transactionAmount },
  { name: 'transaction_currency', type: 'text', of: ({ transactionCurrency }) => transactionCurrency },
  { name: 'authorized_amount', type: 'bigint', of: ({ authorizedAmount }) => authorizedAmount },
  { name: 'balance_after', type: 'bigint', of: ({ balanceAfter }) => balanceAfter },
  { name: 'title', type: 'text', of: ({ title }) => title },
  { name: 'removed_at', type: 'timestamptz', of: ({ removedAt }) => instant(removedAt) },
  { name: 'refusal', type: 'text', of: ({ refusal }) => refusal },
  { name: 'details', type: 'json', of: ({ details }) => JSON.stringify(details) },
];
const NAMES = COLUMNS.map(({ name }) => name).join(', ');
const MOVED = COLUMNS.length + 1;

// The condition beside the join makes every plan find each row by its id, also a plan made for few rows. No other
// condition matches an index of few rows.
const WRITE = `WITH added AS (
  INSERT INTO transaction (${NAMES})
  SELECT ${NAMES} FROM unnest(${COLUMNS.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')}) AS new (${NAMES})
), moved AS (
  UPDATE account SET balance = new.balance, reserved = new.reserved, last_posting_time = new.last_posting_time
  FROM unnest(${['uuid', 'bigint', 'bigint', 'timestamptz'].map((type, at) => list(MOVED + at, type)).join(', ')})
    AS new (id, balance, reserved, last_posting_time)
  WHERE account.id = new.id AND account.id = ANY (${list(MOVED, 'uuid')})
)
${outboxInsert(MOVED + 4)}`;

/**
 * Writes the changes of a ledger state with their events. The locks of the accounts keep the events of an account in the
 * order of their transactions.
 * @returns false when another entry inserted an id since the state was read: the caller must roll back
 * @throws the driver's unique violation for the same reason: see `isIdConflict`
 */
export async function writeLedgerState(
  tx: Tx,
  state: LedgerState,
  events: readonly OutboxEvent[],
): Promise<boolean> {
  // The same order in every transaction: of two that add the same ids one waits for the other, without a deadlock.
  const added = [...state.added.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const ended = [...state.ended.values()];
  if (added.length + ended.length + state.updates.size === 0) return true;
  if (ended.length > 0 && (await endPending(tx, ended)) < ended.length) return false;
  if (state.updates.size > 0) await replaceDetails(tx, state.updates);
  if (added.length + ended.length === 0) return true;
  const accounts = [...state.moved];
  await tx.query({
    name: 'write-ledger-state',
    text: WRITE,
    values: [
      ...COLUMNS.map(({ of }) => added.map(of)),
      accounts.map(({ id }) => id),
      accounts.map(({ balance }) => balance),
      accounts.map(({ reserved }) => reserved),
      accounts.map(({ lastPostingTime }) => instant(lastPostingTime)),
      ...outboxValues(events),
    ],
  });
  return true;
}

async function endPending(tx: Tx, ended: readonly Ending[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'end-pending',
    text: `UPDATE transaction SET status = new.status, posting_time = new.posting_time,
  billing_amount = new.billing_amount, authorized_amount = new.authorized_amount,
  balance_after = new.balance_after, removed_at = new.removed_at
FROM unnest(${['uuid', 'text', 'timestamptz', 'bigint', 'bigint', 'bigint', 'timestamptz']
      .map((type, at) => list(at + 1, type))
      .join(', ')})
  AS new (id, status, posting_time, billing_amount, authorized_amount, balance_after, removed_at)
WHERE transaction.id = new.id AND transaction.id = ANY (${list(1, 'uuid')}) AND coalesce(transaction.posting_time, transaction.removed_at) IS NULL`,
    values: [
      ended.map(({ id }) => id),
      ended.map(({ status }) => status),
      ended.map(({ postingTime }) => instant(postingTime)),
      ended.map(({ billingAmount }) => billingAmount),
      ended.map(({ authorizedAmount }) => authorizedAmount),
      ended.map(({ balanceAfter }) => balanceAfter),
      ended.map(({ removedAt }) => instant(removedAt)),
    ],
  });
  return rowCount ?? 0;
}

/** Whether a statement failed because a transaction id exists. */
export function isIdConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'transaction_pkey';
}

function instant(date: Date | null): string | null {
  return date && date.toISOString();
}

function accountOf(id: string, row: LedgerRow): OpenAccount {
  return {
    id,
    currency: row.currency,
    bban: row.bban!,
    exposed: row.exposed!,
    balance: BigInt(row.balance!),
    reserved: BigInt(row.reserved!),
    creditLimit: BigInt(row.credit_limit!),
    lastPostingTime: row.last_posting_time,
    audience: [...new Set(row.audience!)],
    now: row.now,
  };
}

function transactionOf(row: LedgerRow): Parameters<typeof entryOf>[0] {
  return {
    accountId: row.account_id,
    refusal: row.refusal,
    status: row.status,
    billingAmount: BigInt(row.billing_amount),
    authorizedAmount: row.authorized_amount === null ? null : BigInt(row.authorized_amount),
    postingTime: row.posting_time,
    balanceAfter: row.balance_after === null ? null : BigInt(row.balance_after),
    removedAt: row.removed_at,
  };
}
