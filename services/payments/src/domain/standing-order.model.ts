import { ApiError } from '@kontoport/errors';
import { bankingDayFrom } from './calendar/banking-days.model.ts';
import { beginsAt, type ClientTime, countryOf, todayOf } from './calendar/country-time.model.ts';
import type { LocalDate } from './calendar/local-date.model.ts';
import type { Draft, Initiation } from './draft.model.ts';
import type { Finding, PaymentFields, SenderAccount } from './payment-types/payment-type.model.ts';
import { lastRunBy, type PlannedRun, plannedRun, type Schedule } from './schedule.model.ts';
import { TEXTS } from './texts.ts';

/** The status of a standing order. ACTIVE: it has runs to come; ENDED: it has none. */
export const STANDING_ORDER_STATUSES = [
  'AWAITING_APPROVAL',
  'ACTIVE',
  'ENDED',
  'REJECTED',
  'EXPIRED',
] as const;

export type StandingOrderStatus = (typeof STANDING_ORDER_STATUSES)[number];

/** A standing order (§4.5; immutable). Its runs are drafts of the kind `run`, with this one's id as their `requestId`. */
export interface StandingOrder {
  readonly clientId: string;
  /** The consent of the token that made it; absent: one of the client itself. */
  readonly consentId?: string;
  /** The organization that the client belongs to. */
  readonly organizationIdentifier: string;
  /** UUID, ours; also the `requestId` of the basket that approves it. */
  readonly paymentId: string;
  /** The payment of each run. */
  readonly paymentType: string;
  readonly name: string;
  readonly fields: PaymentFields;
  readonly senderAccount: SenderAccount;
  readonly validationWarnings: readonly Finding[];
  readonly redirectUrl: string;
  readonly message?: string;
  readonly schedule: Schedule;
  readonly status: StandingOrderStatus;
  /** The next run; only of an ACTIVE one. */
  readonly next?: PlannedRun;
  /** The time of that run by the clock of the service; only of an ACTIVE one. */
  readonly dueAt?: Date;
  readonly lastRun?: { readonly paymentId: string; readonly executionDate: LocalDate };
  /** The time at which the client deleted it; afterwards its status has no meaning. */
  readonly deletedAt?: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The same for a standing order that does not exist, for another client's and for a deleted one (§3.3, §4). */
export function unknownStandingOrder(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-standing-order'));
}

/** Returns whether the limit of its client includes this standing order: it is active, or awaits approval. */
export function isLive({ status, deletedAt }: StandingOrder): boolean {
  return deletedAt === undefined && (status === 'ACTIVE' || status === 'AWAITING_APPROVAL');
}

/** A standing order that was approved: its first run is planned. */
export function activate(order: StandingOrder, time: ClientTime): StandingOrder {
  return planned({ ...order, updatedAt: time.now }, 0, time);
}

/** Ends all future runs; past runs do not change (§3.3). */
export function deleteStandingOrder(order: StandingOrder, now: Date): StandingOrder {
  if (order.deletedAt !== undefined) throw unknownStandingOrder();
  const { next: _next, dueAt: _dueAt, ...rest } = order;
  return { ...rest, status: 'ENDED', deletedAt: now, updatedAt: now };
}

/** Result of running a due standing order: its new state and its run. */
export interface Run {
  order: StandingOrder;
  /** PENDING; absent where the run is not due by the client's time after all. */
  draft?: Draft;
}

/**
 * Makes the run of a standing order that is due; of runs that were missed the last one alone, on the first banking day that is
 * left (§4.5).
 * @param run.paymentId of the payment that the run is
 * @param run.settlementDelayMs milliseconds until its posting is due, on the day itself
 */
export function runStandingOrder(
  order: StandingOrder,
  { settlementDelayMs, paymentId, ...time }: ClientTime & { settlementDelayMs: number; paymentId: string },
): Run {
  if (order.next === undefined) return { order };
  const { now, aheadMs } = time;
  const country = countryOf(order.senderAccount);
  const today = todayOf(time, country);
  const due = lastRunBy(order.schedule, { index: order.next.index, today, country });
  if (due === undefined) return { order: planned(order, order.next.index, time) };
  const executionDate = due.executionDate === today ? today : bankingDayFrom(country, today);
  const begin = Math.max(now.getTime(), beginsAt(executionDate, time, country).getTime());
  const { clientId, consentId, organizationIdentifier, paymentType, name, fields, senderAccount } = order;
  const { validationWarnings, redirectUrl, message } = order;
  const initiation: Initiation = {
    redirectUrl,
    executionDate,
    ...(message === undefined ? {} : { message }),
  };
  const draft: Draft = {
    kind: 'run',
    clientId,
    ...(consentId === undefined ? {} : { consentId }),
    organizationIdentifier,
    draftId: paymentId,
    paymentType,
    name,
    fields,
    senderAccount,
    initiation,
    validationErrors: [],
    validationWarnings,
    status: 'PENDING',
    payment: {
      paymentId,
      requestId: order.paymentId,
      approvedAt: new Date(now.getTime() + aheadMs),
      dueAt: new Date(begin + settlementDelayMs),
      attempts: 0,
      traceparent: undefined,
    },
    createdAt: now,
    updatedAt: now,
  };
  const ran = { ...order, lastRun: { paymentId, executionDate }, updatedAt: now };
  return { order: planned(ran, due.index + 1, time), draft };
}

/** The standing order with the run of that index before it, or ENDED. */
function planned(order: StandingOrder, index: number, time: ClientTime): StandingOrder {
  const country = countryOf(order.senderAccount);
  const next = plannedRun(order.schedule, index, country);
  const { next: _next, dueAt: _dueAt, ...rest } = order;
  if (next === undefined) return { ...rest, status: 'ENDED' };
  return { ...rest, status: 'ACTIVE', next, dueAt: beginsAt(next.executionDate, time, country) };
}
