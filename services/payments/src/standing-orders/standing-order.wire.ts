import { type Language, rule } from '@kontoport/errors';
import { z } from 'zod';
import { DRAFT_STATUSES } from '../domain/draft-status.model.ts';
import type { Draft } from '../domain/draft.model.ts';
import { INITIATION_TEXTS } from '../domain/initiations/texts.ts';
import { EXECUTION_RULES, FREQUENCIES, type Schedule } from '../domain/schedule.model.ts';
import { STANDING_ORDER_STATUSES, type StandingOrder } from '../domain/standing-order.model.ts';
import {
  type DraftForm,
  findings,
  findingsToWire,
  rejection,
  rejectionToWire,
} from '../drafts/draft.wire.ts';
import { day } from '../initiations/initiation.wire.ts';

/** The schedule of a standing order in the notation of NextGenPSD2 (§4.5). */
export const scheduleFields = {
  startDate: day.meta({ description: 'The earliest day of a run: today, or up to 365 days ahead.' }),
  endDate: day.optional().meta({ description: 'The last day of a run. Default: no end.' }),
  frequency: z.enum(FREQUENCIES).meta({ description: 'The interval of its runs.' }),
  dayOfExecution: z
    .string()
    .regex(/^([1-9]|[12]\d|3[01])$/, rule(INITIATION_TEXTS('not-day-of-month')))
    .optional()
    .meta({
      description:
        'Day of the month, `1` to `31`, of a frequency of months; a shorter month has its last day in the place of a later ' +
        'one. Default: that of `startDate`.',
    }),
  executionRule: z.enum(EXECUTION_RULES).optional().meta({
    description:
      'The banking day of a run that falls on another day: the following or the preceding one. Default: `following`.',
  }),
};

/** The schedule of a body. */
export function scheduleOf(body: z.output<z.ZodObject<typeof scheduleFields>>): Schedule {
  const { startDate, endDate, frequency, dayOfExecution, executionRule = 'following' } = body;
  return {
    startDate,
    ...(endDate === undefined ? {} : { endDate }),
    frequency,
    ...(dayOfExecution === undefined ? {} : { dayOfExecution: Number(dayOfExecution) }),
    executionRule,
  };
}

/** A standing order as a TPP sees it (§4.5). */
export function standingOrderAnswer({ fields }: DraftForm) {
  return z
    .object({
      paymentId: z.guid().meta({ description: 'Assigned by the bank.' }),
      paymentType: z.string().meta({ description: 'The payment type of its runs.' }),
      status: z
        .enum(STANDING_ORDER_STATUSES)
        .meta({ description: 'Whether it waits for approval, runs or has ended.' }),
      ...z.strictObject(fields.shape).required().shape,
      name: z.string().optional().meta({ description: 'The name that the sender reads beside the payment.' }),
      message: z
        .string()
        .optional()
        .meta({ description: 'The text that sender and receiver read beside the payment.' }),
      redirectUrl: z.string().meta({ description: 'The URL to which the user returns.' }),
      startDate: z.iso.date().meta({ description: 'No run is executed before this day.' }),
      endDate: z.iso.date().optional().meta({ description: 'The last day that a run may be planned for.' }),
      frequency: z.enum(FREQUENCIES).meta({ description: 'The interval of its runs.' }),
      dayOfExecution: z.string().optional().meta({ description: 'The day of the month, `1` to `31`.' }),
      executionRule: z
        .enum(EXECUTION_RULES)
        .meta({ description: 'The banking day that replaces a day which is none.' }),
      nextExecutionDate: z.iso.date().optional().meta({ description: 'The banking day of the next run.' }),
      lastRun: z
        .object({
          paymentId: z.guid().meta({ description: 'The payment of the run.' }),
          executionDate: z.iso.date().meta({ description: 'The banking day of the run.' }),
          status: z.enum(DRAFT_STATUSES).optional().meta({ description: 'Only while it is kept.' }),
          rejection,
        })
        .optional()
        .meta({ description: 'The payment of the last run; not in the list.' }),
      validationWarnings: findings.optional().meta({ description: 'The parts that could not be checked.' }),
      createdAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its creation.' }),
      updatedAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its last change.' }),
    })
    .meta({ id: 'StandingOrder', description: 'A standing order (§4.5).' });
}

/** A standing order on the wire. */
export const standingOrderExample = {
  message: 'Rent',
  redirectUrl: 'https://app.fjordbudget.example/callback?payment=1',
  startDate: '2026-12-01',
  frequency: 'Monthly',
  dayOfExecution: '1',
  executionRule: 'following',
} as const;

/** @param lastRun the payment of the previous run, if it is stored and shown */
export function standingOrderToWire(
  order: StandingOrder,
  { language, lastRun }: { language: Language; lastRun?: Draft | undefined },
): Record<string, unknown> {
  const { paymentId, paymentType, status, fields, name, message, redirectUrl, schedule, next } = order;
  const { dayOfExecution, ...days } = schedule;
  const { validationWarnings } = order;
  return {
    paymentId,
    paymentType,
    status,
    ...fields,
    ...(name === '' ? {} : { name }),
    ...(message === undefined ? {} : { message }),
    redirectUrl,
    ...days,
    ...(dayOfExecution === undefined ? {} : { dayOfExecution: String(dayOfExecution) }),
    ...(next === undefined ? {} : { nextExecutionDate: next.executionDate }),
    ...(lastRun && order.lastRun
      ? {
          lastRun: {
            ...order.lastRun,
            status: lastRun.status,
            ...rejectionToWire(lastRun.rejection, language),
          },
        }
      : {}),
    ...(validationWarnings.length > 0
      ? { validationWarnings: findingsToWire(validationWarnings, language) }
      : {}),
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  };
}
