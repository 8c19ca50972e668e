import { ApiError } from '@kontoport/errors';
import { z } from 'zod';
import type { TransferFields } from '../payment-types/domestic-credit-transfer.model.ts';
import { type Draft, isValid } from './draft.model.ts';

/** "UUID format" (specification §2.10): any version, and in one spelling from here on. */
export const uuid = z.guid('is not a UUID').transform((text) => text.toLowerCase());

/** The id of a path, in the same spelling; what is no UUID names nothing. @throws ApiError RESOURCE_UNKNOWN */
export function uuidOr404(text: string | undefined): string {
  const { data } = uuid.safeParse(text);
  if (data === undefined) throw new ApiError('RESOURCE_UNKNOWN', 'There is no such resource.');
  return data;
}

/** One line of text: no control characters, nothing that is not Unicode. */
const line = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .regex(/\S/u, 'is blank')
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has control characters');

/** Body of `POST /payments/drafts/{payment-type}` (specification §4.4). */
export const createDraftBody: z.ZodType<Pick<Draft, 'draftId' | 'name'>> = z.strictObject({
  draftId: uuid,
  name: line(140),
});

/** Body of `PATCH /payments/drafts/domestic-credit-transfer/{id}`: any of the fields; what is wrong beyond its form is stored and told. */
export const transferFieldsBody: z.ZodType<TransferFields> = z
  .strictObject({
    receiverAccountBban: line(40),
    receiverName: line(140),
    amount: z.string().regex(/^-?\d{1,15}(\.\d{1,15})?$/, 'is not a decimal string such as "125.50"'),
    currency: z.string().regex(/^[A-Z]{3}$/, 'is not three capital letters (ISO 4217)'),
    senderAccountId: line(64),
  })
  .partial();

/** A draft as a TPP sees it (specification §2.10, DESIGN §4 draft record). */
export function draftToWire(draft: Draft): Record<string, unknown> {
  const { draftId, paymentType, name, status, fields, validationErrors, validationWarnings } = draft;
  return {
    draftId,
    paymentType,
    name,
    status,
    ...fields,
    isValid: isValid(draft),
    validationErrors,
    ...(validationWarnings.length > 0 ? { validationWarnings } : {}),
    ...(draft.payment ? { paymentId: draft.payment.paymentId } : {}),
    ...(draft.rejection ? { rejection: draft.rejection } : {}),
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
  };
}
