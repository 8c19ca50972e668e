import type { DueOutcome } from '../../sandbox/simulation.model.ts';
import type {
  TransactionDetails,
  TransactionStatus,
  TransactionType,
} from '../../transactions/transaction.model.ts';

/** The properties of an event of the history that do not depend on its time; amounts in minor units. */
export interface Occasion {
  title: string;
  type: TransactionType;
  /** Signed, in the account's currency; a repeated occasion uses them in turn. */
  amounts: readonly bigint[];
  /** Absent: the same as posted. `null`: never reserved on the account. Otherwise a card payment abroad. */
  original?: null | { currency: string; amounts: readonly bigint[]; exchangeRate: number };
  details?: TransactionDetails;
}

/** An occasion that was posted once or repeatedly. */
interface Repetition extends Occasion {
  /** Identifies it in ids. */
  key: string;
  rhythm: Rhythm;
}

/**
 * The repetition of an occasion: the count, the days between two, the days (at least 1) from the last one to the creation
 * of the data, and the time of day in UTC. It is posted `settlesAfterDays` later; by default after a minute.
 */
type Rhythm = [
  times: number,
  everyDays: number,
  lastDay: number,
  at: `${number}:${number}`,
  settlesAfterDays?: number,
];

/** An occasion that is not posted. */
interface Unposted extends Occasion {
  key: string;
  status: Exclude<TransactionStatus, 'financial'>;
  /** Hours before the creation of the data; negative: in the future. */
  hoursAgo: number;
  /** The automatic end of an authorization, and its delay after the transaction. */
  ends?: { outcome: DueOutcome; afterHours: number };
}

/** All transactions of an account. */
export interface AccountHistory {
  posted: readonly Repetition[];
  unposted: readonly Unposted[];
  /** One repetition that is too long to be sent to the database row by row (`playBulk`). */
  bulk?: Repetition;
}

/** The history of an account without transactions. */
export const NO_HISTORY: AccountHistory = { posted: [], unposted: [] };

/** A transaction of an account's history; amounts in minor units. */
interface HistoricTransaction {
  key: string;
  status: TransactionStatus;
  type: TransactionType;
  transactionTime: Date;
  postingTime: Date | null;
  billingAmount: bigint;
  original: { amount: bigint; currency: string } | null;
  balanceAfter: bigint | null;
  title: string;
  details: TransactionDetails;
  /** Its automatic end. */
  ends?: { outcome: DueOutcome; endsAt: Date };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Plays a history up to `now`. Posting times strictly increase. The balance starts at the opening balance. Pending debits
 * are reserved.
 */
export function playHistory(
  history: AccountHistory,
  options: { currency: string; openingBalance: bigint; now: Date },
): { transactions: HistoricTransaction[]; balance: bigint; reserved: bigint; lastPostingTime: Date | null } {
  const { currency, openingBalance, now } = options;
  const posted = history.posted
    .flatMap((repetition) => repeat(repetition, now))
    .toSorted((one, other) => one.posting - other.posting);

  let balance = openingBalance;
  let last = -Infinity;
  const settled = posted.map(({ key, occasion, turn, transaction, posting }): HistoricTransaction => {
    last = Math.max(posting, last + 1);
    const event = describe(occasion, { turn, currency });
    balance += event.billingAmount;
    return {
      key,
      ...event,
      status: 'financial',
      transactionTime: new Date(transaction),
      postingTime: new Date(last),
      balanceAfter: balance,
    };
  });
  const open = history.unposted.map((unposted): HistoricTransaction => {
    const { key, status, hoursAgo, ends } = unposted;
    const transaction = now.getTime() - hoursAgo * HOUR;
    return {
      key,
      ...describe(unposted, { turn: 0, currency }),
      status,
      transactionTime: new Date(transaction),
      postingTime: null,
      balanceAfter: null,
      ...(ends && {
        ends: { outcome: ends.outcome, endsAt: new Date(transaction + ends.afterHours * HOUR) },
      }),
    };
  });
  const reserved = open
    .filter(({ status, billingAmount }) => status === 'authorization' && billingAmount < 0n)
    .reduce((sum, { billingAmount }) => sum - billingAmount, 0n);
  return {
    transactions: [...settled, ...open],
    balance,
    reserved,
    lastPostingTime: settled.at(-1)?.postingTime ?? null,
  };
}

/** Plays a bulk history without its single transactions. The newest is the first. */
export function playBulk(
  { amounts, rhythm }: Repetition,
  { openingBalance, now }: { openingBalance: bigint; now: Date },
) {
  const [times, everyDays] = rhythm;
  let balance = openingBalance;
  for (let turn = 0; turn < times; turn++) balance += amounts[turn % amounts.length]!;
  const newest = timeOf(rhythm, { turn: 0, now });
  const lastPostingTime = new Date(newest + MINUTE);
  return {
    state: { balance, reserved: 0n, lastPostingTime },
    newest: new Date(newest),
    everyMs: everyDays * DAY,
  };
}

function timeOf([, everyDays, lastDay, at]: Rhythm, { turn, now }: { turn: number; now: Date }): number {
  const [hour, minute] = at.split(':').map(Number) as [number, number];
  const midnight = Math.floor(now.getTime() / DAY) * DAY;
  return midnight - (lastDay + turn * everyDays) * DAY + hour * HOUR + minute * MINUTE;
}

function repeat(occasion: Repetition, now: Date) {
  const [times, , , , settlesAfterDays] = occasion.rhythm;
  return Array.from({ length: times }, (_, turn) => {
    const transaction = timeOf(occasion.rhythm, { turn, now });
    const wait = settlesAfterDays === undefined ? MINUTE : settlesAfterDays * DAY;
    return { key: `${occasion.key}-${turn + 1}`, occasion, turn, transaction, posting: transaction + wait };
  });
}

function describe(occasion: Occasion, { turn, currency }: { turn: number; currency: string }) {
  const { title, type, amounts, original, details = {} } = occasion;
  const billingAmount = amounts[turn % amounts.length]!;
  if (original === undefined)
    return { title, type, details, billingAmount, original: { amount: billingAmount, currency } };
  if (original === null) return { title, type, details, billingAmount, original };
  const { exchangeRate } = original;
  return {
    title,
    type,
    billingAmount,
    original: { amount: original.amounts[turn % original.amounts.length]!, currency: original.currency },
    details: {
      ...details,
      currencyExchange: { currency: original.currency, targetCurrency: currency, exchangeRate },
    },
  };
}
