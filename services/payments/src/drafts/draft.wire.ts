import { ApiError, type Language } from '@kontoport/errors';
import { z } from 'zod';
import { line } from '../payment-types/line.ts';
import { type Finding, textOf } from '../payment-types/payment-type.model.ts';
import { TEXTS } from '../texts.ts';
import { type Draft, isValid } from './draft.model.ts';

/** "UUID format" (§2.10): any version, and in one spelling from here on. */
export const uuid = z.guid('is not a UUID').transform((text) => text.toLowerCase());

/** The id of a path, in the same spelling; what is no UUID names nothing. @throws ApiError RESOURCE_UNKNOWN */
export function uuidOr404(text: string | undefined): string {
  const { data } = uuid.safeParse(text);
  if (data === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-draft'));
  return data;
}

/** Body of `POST /payments/drafts/{payment-type}` (§4.4). */
export const createDraftBody: z.ZodType<Pick<Draft, 'draftId' | 'name'>> = z.strictObject({
  draftId: uuid,
  name: line(140),
});

/** A draft as a TPP sees it (§2.10), in the reader's language. */
export function draftToWire(draft: Draft, language: Language): Record<string, unknown> {
  const { draftId, paymentType, name, status, fields, validationErrors, validationWarnings } = draft;
  const { payment, rejection } = draft;
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
    ...(rejection
      ? { rejection: { errorCode: rejection.errorCode, message: rejection.message[language] } }
      : {}),
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
  };
}

function findingsToWire(findings: readonly Finding[], language: Language) {
  return findings.map((finding) => ({ path: finding.path, message: textOf(finding).in(language) }));
}
