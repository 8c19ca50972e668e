import { ERROR_CODES, type ErrorCode, type Language } from '@kontoport/errors';
import { singleLineText, uuid } from '@kontoport/http';
import { z } from 'zod';
import { DRAFT_STATUSES } from '../domain/draft-status.model.ts';
import { type Draft, isValid, type Rejection } from '../domain/draft.model.ts';
import { type Finding, textOf } from '../domain/payment-types/payment-type.model.ts';
import { textOfRejection } from '../domain/rejection.model.ts';

const NAME_LENGTH = 140;

/** Body of `POST /payments/drafts/{payment-type}` (§4.4). */
export const createDraftBody: z.ZodType<Pick<Draft, 'draftId' | 'name'>> = z.strictObject({
  draftId: uuid.meta({ description: 'Chosen by the caller; unique among its drafts.' }),
  name: singleLineText(NAME_LENGTH).meta({ description: 'Text that the sender reads with the payment.' }),
});

export const createDraftExample = {
  draftId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Rent for December',
};

/** The findings about the fields of a payment. */
export const findings = z.array(
  z.object({
    path: z.string().meta({ description: 'The field.' }),
    message: z.string().meta({ description: 'The reason, in English.' }),
  }),
);

export const rejection = z
  .object({
    errorCode: z
      .enum(Object.keys(ERROR_CODES) as ErrorCode[])
      .meta({ description: 'The reason, as one of the error codes.' }),
    message: z.string().meta({ description: 'The reason, in English.' }),
  })
  .optional()
  .meta({ description: 'The reason of a rejection; only if `REJECTED`.' });

/** The form of a payment type's fields. */
export interface DraftForm {
  title: string;
  fields: { shape: z.ZodRawShape };
  example: object;
}

/** A draft of a payment type as a TPP sees it (§2.10). */
export function draftAnswer(paymentType: string, { fields, title }: DraftForm) {
  return z
    .object({
      draftId: z.guid().meta({ description: 'Chosen by the caller.' }),
      paymentType: z.literal(paymentType).meta({ description: 'The payment type, as in the path.' }),
      name: z.string().meta({ description: 'The name that the sender reads beside the payment.' }),
      status: z.enum(DRAFT_STATUSES).meta({ description: 'Its present status (§3.2).' }),
      ...fields.shape,
      isValid: z.boolean().meta({ description: 'Whether the draft can be approved.' }),
      validationErrors: findings.meta({ description: 'The missing or wrong parts; empty when valid.' }),
      validationWarnings: findings.optional().meta({ description: 'The parts that could not be checked.' }),
      paymentId: z.guid().optional().meta({ description: 'The paymentId of its payment.' }),
      rejection,
      createdAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its creation.' }),
      updatedAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its last change.' }),
    })
    .meta({ id: `${inCapitals(paymentType)}Draft`, description: `A draft of a ${title} (§2.10).` });
}

/** `DomesticCreditTransfer` */
export function inCapitals(paymentType: string): string {
  return paymentType.replaceAll(/(?:^|-)(\w)/g, (_found, letter: string) => letter.toUpperCase());
}

/** A valid draft on the wire. */
export function draftExample(paymentType: string, { example }: DraftForm): Record<string, unknown> {
  return {
    ...createDraftExample,
    paymentType,
    status: 'CREATED',
    ...example,
    isValid: true,
    validationErrors: [],
    createdAt: '2026-11-21T12:00:00.000Z',
    updatedAt: '2026-11-21T12:00:05.250Z',
  };
}

/** A draft as a TPP sees it (§2.10), in the reader's language. */
export function draftToWire(draft: Draft, language: Language): Record<string, unknown> {
  const { draftId, paymentType, name, status, fields, validationErrors, validationWarnings } = draft;
  const { payment } = draft;
  return {
    draftId,
    paymentType,
    name,
    status,
    ...fields,
    isValid: isValid(draft),
    validationErrors: findingsToWire(validationErrors, language),
    ...(validationWarnings.length > 0
      ? { validationWarnings: findingsToWire(validationWarnings, language) }
      : {}),
    ...(payment ? { paymentId: payment.paymentId } : {}),
    ...rejectionToWire(draft.rejection, language),
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
  };
}

/** The reason of a rejection, if the payment was rejected. */
export function rejectionToWire(found: Rejection | undefined, language: Language) {
  if (found === undefined) return {};
  return { rejection: { errorCode: found.errorCode, message: textOfRejection(found).in(language) } };
}

/** Findings in the language of the request. */
export function findingsToWire(found: readonly Finding[], language: Language) {
  return found.map((finding) => ({ path: finding.path, message: textOf(finding).in(language) }));
}
