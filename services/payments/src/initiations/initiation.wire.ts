import { type Language, rule } from '@kontoport/errors';
import { singleLineText } from '@kontoport/http';
import { z } from 'zod';
import { redirectUrl } from '../baskets/basket.wire.ts';
import { type Basket, BASKET_STATUSES } from '../domain/basket.model.ts';
import { INITIATION_TEXTS } from '../domain/initiations/texts.ts';
import type { Finding, PaymentFields } from '../domain/payment-types/payment-type.model.ts';
import { type DraftForm, findings, findingsToWire } from '../drafts/draft.wire.ts';

/** A day of the calendar, `YYYY-MM-DD`. */
export const day = z.iso.date(rule(INITIATION_TEXTS('not-day')));

/** The fields of every initiation, beside those of its type (§4.5). */
export interface InitiationBody {
  readonly redirectUrl: string;
  readonly name?: string | undefined;
  readonly message?: string | undefined;
}

const common = {
  redirectUrl,
  name: singleLineText(140).optional().meta({ description: 'A name for the sender.' }),
  message: singleLineText(140)
    .optional()
    .meta({ description: 'Text that sender and receiver read with the payment.' }),
};

/** Body that initiates a payment of this type: all fields of its drafts, and those of the operation. */
export function initiationBody<More extends z.ZodRawShape>(
  { fields }: DraftForm,
  more: More,
): z.ZodType<PaymentFields & InitiationBody & z.output<z.ZodObject<More>>> {
  const required = z.strictObject(fields.shape).required().shape;
  return z.strictObject({ ...required, ...common, ...more }) as unknown as z.ZodType<
    PaymentFields & InitiationBody & z.output<z.ZodObject<More>>
  >;
}

/** Takes apart the fields of the payment type from the rest of a body. */
export function fieldsOf({ fields }: DraftForm, body: object): PaymentFields {
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(fields.shape, name)));
}

export const initiationAnswer = z
  .object({
    paymentId: z.guid().meta({ description: 'Assigned by the bank.' }),
    status: z.enum(BASKET_STATUSES).meta({ description: 'The status of its approval.' }),
    authUrl: z.string().meta({ format: 'uri', description: 'The URL to which the user is sent.' }),
    validationWarnings: findings.optional().meta({ description: 'The parts that could not be checked.' }),
  })
  .meta({ id: 'InitiatedPayment' });

export const initiationExample: z.input<typeof initiationAnswer> = {
  paymentId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  status: 'APPROVED',
  authUrl: 'https://user.bank.example/approvals/3q2-7wQf0vQxJ4n2bQ0oJ1l5rY8tV6uW9zA7cD1eF2g',
};

/** Answer to an initiation (§4.5): a basket of its own approves each. */
export function initiationToWire(
  { requestId: paymentId, status, approvalId }: Basket,
  options: { userUrl: string; warnings: readonly Finding[]; language: Language },
): z.input<typeof initiationAnswer> {
  const { userUrl, warnings, language } = options;
  return {
    paymentId,
    status,
    authUrl: `${userUrl}/approvals/${approvalId}`,
    ...(warnings.length > 0 ? { validationWarnings: findingsToWire(warnings, language) } : {}),
  };
}
