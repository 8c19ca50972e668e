import type { ErrorDetail, Text } from '@kontoport/errors';
import { countryOf, todayOf } from '../calendar/country-time.model.ts';
import { addDays, type LocalDate } from '../calendar/local-date.model.ts';
import { isOfMonths, plannedRun, type Schedule } from '../schedule.model.ts';
import { activate, type StandingOrder } from '../standing-order.model.ts';
import {
  type InitiationRequest,
  notInitiated,
  startFault,
  type ValidInitiation,
} from './initiation.model.ts';
import { INITIATION_TEXTS } from './texts.ts';

/** The input of a standing order (§4.5). */
export interface StandingOrderRequest extends InitiationRequest {
  readonly schedule: Schedule;
}

/** Maximum duration of a standing order that has an end, days. */
const MAX_DAYS = 36_525;

/**
 * A standing order whose approval begins.
 * @throws ApiError FORMAT_ERROR with a detail for each fault of its schedule
 */
export function makeStandingOrder(initiated: ValidInitiation, request: StandingOrderRequest): StandingOrder {
  const { owner, paymentId, senderAccount, warnings, time, approval } = initiated;
  const { paymentType, fields, redirectUrl, name = '', message, schedule } = request;
  const country = countryOf(senderAccount);
  const details = scheduleFaults(schedule, todayOf(time, country));
  if (details.length > 0) throw notInitiated(details);
  if (plannedRun(schedule, 0, country) === undefined) {
    const first = plannedRun({ ...schedule, endDate: undefined }, 0, country)!.executionDate;
    throw notInitiated([{ path: 'endDate', text: INITIATION_TEXTS('no-run', { first }) }]);
  }
  const order: StandingOrder = {
    ...owner,
    paymentId,
    paymentType,
    name,
    fields,
    senderAccount,
    validationWarnings: warnings,
    redirectUrl,
    ...(message === undefined ? {} : { message }),
    schedule,
    status: 'AWAITING_APPROVAL',
    createdAt: time.now,
    updatedAt: time.now,
  };
  return approval.status === 'APPROVED' ? activate(order, time) : order;
}

function scheduleFaults(schedule: Schedule, today: LocalDate): ErrorDetail[] {
  const { startDate, endDate, frequency, dayOfExecution } = schedule;
  const faults: [string, Text | undefined][] = [
    ['startDate', startFault(startDate, today)],
    ['endDate', endDate === undefined ? undefined : endFault(endDate, startDate)],
    [
      'dayOfExecution',
      dayOfExecution === undefined || isOfMonths(frequency)
        ? undefined
        : INITIATION_TEXTS('day-without-months', { frequency }),
    ],
  ];
  return faults.flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
}

function endFault(endDate: LocalDate, startDate: LocalDate): Text | undefined {
  if (endDate < startDate) return INITIATION_TEXTS('end-before-start');
  const last = addDays(startDate, MAX_DAYS);
  return endDate > last ? INITIATION_TEXTS('day-too-late', { last }) : undefined;
}
