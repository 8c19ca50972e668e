import type { Language } from '@kontoport/errors';
import { cursorOf } from '@kontoport/http';
import { z } from 'zod';
import { DRAFT_STATUSES } from '../domain/draft-status.model.ts';
import type { Draft } from '../domain/draft.model.ts';
import {
  type DraftForm,
  findings,
  findingsToWire,
  inCapitals,
  rejection,
  rejectionToWire,
} from '../drafts/draft.wire.ts';
import { day } from '../initiations/initiation.wire.ts';

/** The fields of a single payment, beside those of every initiation (§4.5). */
export const singlePaymentFields = {
  executionDate: day.optional().meta({
    description:
      'The day on which it is executed, by the calendar of its country: today, or up to 365 days ahead; a day that is no ' +
      'banking day becomes the next banking day. Default: as soon as it is approved.',
  }),
};

/** The fields of an initiated payment, as a TPP reads them. */
const initiated = {
  name: z.string().optional().meta({ description: 'The name that the sender reads beside the payment.' }),
  message: z
    .string()
    .optional()
    .meta({ description: 'The text that sender and receiver read beside the payment.' }),
  redirectUrl: z.string().meta({ description: 'The URL to which the user returns.' }),
  validationWarnings: findings.optional().meta({ description: 'The parts that could not be checked.' }),
  createdAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its creation.' }),
  updatedAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its last change.' }),
};

/** A single payment of a payment type as a TPP sees it (§4.5). */
export function singlePaymentAnswer(paymentType: string, { fields, title }: DraftForm) {
  return z
    .object({
      paymentId: z.guid().meta({ description: 'Assigned by the bank.' }),
      paymentType: z.literal(paymentType).meta({ description: 'The payment type, as in the path.' }),
      status: z.enum(DRAFT_STATUSES).meta({ description: 'Its present status (§3.2).' }),
      ...fields.shape,
      executionDate: z.iso.date().optional().meta({ description: 'The banking day of its execution.' }),
      ...initiated,
      rejection,
    })
    .meta({ id: `${inCapitals(paymentType)}Payment`, description: `A ${title} (§4.5).` });
}

/** A single payment on the wire. */
export function singlePaymentExample(paymentType: string, { example }: DraftForm) {
  return {
    paymentId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    paymentType,
    status: 'PENDING',
    ...example,
    executionDate: '2026-12-01',
    message: 'Rent for December',
    redirectUrl: 'https://app.fjordbudget.example/callback?payment=1',
    createdAt: '2026-11-21T12:00:00.000Z',
    updatedAt: '2026-11-21T12:00:00.000Z',
  };
}

/** A single payment as a TPP sees it (§4.5), in the reader's language. */
export function singlePaymentToWire(draft: Draft, language: Language): Record<string, unknown> {
  const { draftId: paymentId, paymentType, status, fields, name, initiation, validationWarnings } = draft;
  return {
    paymentId,
    paymentType,
    status,
    ...fields,
    ...(name === '' ? {} : { name }),
    ...initiation,
    ...(validationWarnings.length > 0
      ? { validationWarnings: findingsToWire(validationWarnings, language) }
      : {}),
    ...rejectionToWire(draft.rejection, language),
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
  };
}

/** A page of the single payments of a payment type. */
export function singlePaymentsAnswer(paymentType: string, payment: ReturnType<typeof singlePaymentAnswer>) {
  return z
    .object({
      payments: z.array(payment).meta({ description: 'The payments of this page, newest first.' }),
      nextCursor: z
        .string()
        .optional()
        .meta({ description: 'The cursor of the next page; absent from the last one.' }),
    })
    .meta({ id: `${inCapitals(paymentType)}Payments` });
}

/** @param payments in the order of the list; `isMore` when others follow */
export function singlePaymentsToWire(
  payments: readonly Draft[],
  { isMore, language }: { isMore: boolean; language: Language },
): { payments: Record<string, unknown>[]; nextCursor?: string } {
  const last = payments.at(-1);
  return {
    payments: payments.map((payment) => singlePaymentToWire(payment, language)),
    ...(isMore && last ? { nextCursor: cursorOf({ at: last.createdAt, id: last.draftId }) } : {}),
  };
}
