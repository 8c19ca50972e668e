import type { EventMessages, EventOf } from '@kontoport/events';
import { z } from 'zod';
import type { DELIVERED_TYPES, WebhookEvent, WebhookEventType } from '../event-types/webhook-event.model.ts';

/** The `data` of a delivery, for each event type (§2.12). */
const DATA: { readonly [Type in WebhookEventType]: (message: EventMessages[Type]) => object } = {
  'Posting.CreatedV1': (posting) => ({
    accountNumber: posting.accountNumber,
    ledgerPostingId: posting.ledgerPostingId,
    amount: { value: posting.amountValue, currency: posting.amountCurrency, credit: posting.credit },
    postingTime: posting.postingTime,
  }),
  'Consent.RevokedV1': ({ consentId, accountIds, revokedAt }) => ({ consentId, accountIds, revokedAt }),
  'Transfer.CreatedV1': transferData,
  'Transfer.StatusChangedV1': transferData,
};

/** A payment that no draft became has no draftId. */
function transferData(transfer: EventMessages['Transfer.CreatedV1' | 'Transfer.StatusChangedV1']): object {
  const { paymentId, paymentType, accountId, status, draftId } = transfer;
  return { paymentId, paymentType, accountId, status, ...(draftId === '' ? {} : { draftId }) };
}

/** Clocks of two machines differ, but not by so much. */
const MAX_AHEAD_MS = 60 * 60_000;

/**
 * The webhook event of an event (§2.12, §6).
 * @throws Error naming the field, never its value, for an invalid field, or a time more than an hour ahead
 */
export function webhookEvent<Type extends WebhookEventType>(
  { type, message }: EventOf<Type>,
  now: Date,
): WebhookEvent {
  const { eventTime, audience } = message;
  // As PostgreSQL writes a UUID.
  const id = message.eventId.toLowerCase();
  const time = new Date(eventTime);
  if (Number.isNaN(time.getTime())) throw new Error('eventTime is not an instant');
  if (time.getTime() > now.getTime() + MAX_AHEAD_MS) throw new Error('eventTime is yet to come');
  const content = { idempotencyKey: id, eventTime, eventType: type, data: DATA[type](message) };
  return { id, type, time, audience, content: JSON.stringify(content) };
}

const instant = z.iso.datetime();

/** A payment as of the event. */
const transfer = z
  .object({
    paymentId: z.guid().meta({ description: 'The payment.' }),
    paymentType: z.string().meta({ description: 'As in the paths.' }),
    accountId: z.string().meta({ description: 'The account that pays.' }),
    status: z
      .enum(['AWAITING_APPROVAL', 'PENDING', 'COMPLETED', 'REJECTED', 'EXPIRED', 'CANCELLED'])
      .meta({ description: 'The status as of the event.' }),
    draftId: z.guid().optional().meta({ description: 'The draft of the payment.' }),
  })
  .meta({ id: 'TransferEventData' });

const transferExample: z.input<typeof transfer> = {
  paymentId: 'c4f1a7d2-5b3e-4c60-8d19-6a2e0f9b7c77',
  paymentType: 'domestic-credit-transfer',
  accountId: '3f8a1d52-7b4c-4e0d-9a61-2c5e8f7d6b33',
  status: 'PENDING',
  draftId: '7e9b2c64-1d8f-4a35-b0c6-3f5a8d1e4b88',
};

/** The description of each event type: when it is sent, its `data`, and an example. */
const DESCRIBED: {
  readonly [Type in (typeof DELIVERED_TYPES)[number]]: { summary: string; data: z.ZodType; example: object };
} = {
  'Posting.CreatedV1': {
    summary: 'A transaction was booked on an account',
    data: z.object({
      accountNumber: z.string().meta({ description: 'The domestic number of the account.' }),
      ledgerPostingId: z.guid().meta({ description: 'The id of the transaction.' }),
      amount: z
        .object({
          value: z
            .string()
            .regex(/^\d+(\.\d+)?$/)
            .meta({ description: 'Decimal, without a sign.' }),
          currency: z
            .string()
            .regex(/^[A-Z]{3}$/)
            .meta({ description: 'ISO 4217, three letters.' }),
          credit: z.boolean().meta({ description: 'Whether the amount is incoming.' }),
        })
        .meta({ description: 'The booked amount.' }),
      postingTime: instant.meta({ description: 'The time of the booking.' }),
    }),
    example: {
      accountNumber: '12345678901234',
      ledgerPostingId: 'a2b4c6d8-1e3f-4a5b-8c7d-9e0f1a2b3c44',
      amount: { value: '1234.50', currency: 'DKK', credit: true },
      postingTime: '2026-11-20T10:15:30.000Z',
    },
  },
  'Consent.RevokedV1': {
    summary: 'A user withdrew a consent',
    data: z.object({
      consentId: z.guid().meta({ description: 'The consent of the access tokens.' }),
      accountIds: z.array(z.guid()).meta({ description: 'The accounts that the consent opened.' }),
      revokedAt: instant.meta({ description: 'The time of the withdrawal.' }),
    }),
    example: {
      consentId: '5e2a9c41-6d3b-4f87-90ae-3b1c8d7f2e55',
      accountIds: ['3f8a1d52-7b4c-4e0d-9a61-2c5e8f7d6b33'],
      revokedAt: '2026-11-21T18:04:09.481Z',
    },
  },
  'Transfer.CreatedV1': {
    summary: 'A payment was created',
    data: transfer,
    example: transferExample,
  },
  'Transfer.StatusChangedV1': {
    summary: 'The status of a payment changed',
    data: transfer,
    example: { ...transferExample, status: 'COMPLETED' },
  },
  'Webhook.TestV1': {
    summary: 'A TPP tests its receiver',
    data: z.object({}),
    example: {},
  },
};

/** The webhooks of the interface description (§2.12, §6). */
export const WEBHOOKS = Object.entries(DESCRIBED).map(([eventType, { summary, data, example }]) => ({
  eventType,
  clause: ['§2.12', '§5.8', '§6'] as const,
  summary,
  json: z.object({
    subscriptionId: z.string().meta({ description: 'The `id` that the caller chose.' }),
    idempotencyKey: z.guid().meta({ description: 'The same value in every delivery of an event.' }),
    eventTime: instant.meta({ description: 'The time of the event.' }),
    eventType: z.literal(eventType).meta({ description: 'The type of the event.' }),
    data: data.meta({ description: 'The facts of the event.' }),
  }),
  example: {
    subscriptionId: 'postings-production',
    idempotencyKey: '0a2f1e1c-3a3e-4b5f-9d3c-2f4e6a8b0c1d',
    eventTime: '2026-11-22T09:00:00.120Z',
    eventType,
    data: example,
  },
}));
