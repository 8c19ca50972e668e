import { createHash } from 'node:crypto';
import { ApiError, type ErrorDetail, type Text } from '@kontoport/errors';
import type { ApprovalStart, Basket } from '../basket.model.ts';
import { beginsAt, type ClientTime, countryOf } from '../calendar/country-time.model.ts';
import { addDays, type LocalDate } from '../calendar/local-date.model.ts';
import type { Initiation } from '../draft.model.ts';
import {
  type Finding,
  type PaymentFields,
  type PaymentRules,
  type SenderAccount,
  textOf,
  type Verdict,
} from '../payment-types/payment-type.model.ts';
import type { Approval } from '../payment.model.ts';
import { INITIATION_TEXTS } from './texts.ts';

/** The input that payments and standing orders share (§4.5). */
export interface InitiationRequest {
  readonly paymentType: string;
  readonly fields: PaymentFields;
  readonly redirectUrl: string;
  readonly name?: string | undefined;
  readonly message?: string | undefined;
}

/** The validated input of a payment or a standing order. */
export interface ValidInitiation {
  owner: { clientId: string; consentId?: string; organizationIdentifier: string };
  paymentId: string;
  senderAccount: SenderAccount;
  warnings: readonly Finding[];
  time: ClientTime;
  approval: Approval &
    ApprovalStart & { paymentId: string; rules: PaymentRules; senderAccount: SenderAccount };
}

/** Maximum number of days until the beginning of a payment or a standing order (§4.5). */
export const MAX_DAYS_AHEAD = 365;

/** SHA-256 of the request of a call, hexadecimal; the order of its fields does not count. @param path that it was sent to */
export function digestOf(path: string, body: object): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  const canonical = JSON.stringify([path, fields.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(canonical).digest('hex');
}

/**
 * Returns the basket of an X-Request-Id, if the same call created it (§4.5).
 * @param basket undefined: the id is taken under another consent
 * @throws ApiError IDEMPOTENCY_CONFLICT
 */
export function requireSameInitiation(basket: Basket | undefined, digest: string): Basket {
  if (basket?.initiatedBy?.digest === digest) return basket;
  throw new ApiError('IDEMPOTENCY_CONFLICT', INITIATION_TEXTS('initiation-id-used'));
}

/** A fault of a call that initiates a payment. Nothing of the call is stored (§4.5). */
export function notInitiated(details: readonly ErrorDetail[]): ApiError {
  return new ApiError('FORMAT_ERROR', INITIATION_TEXTS('not-initiated'), { details: [...details] });
}

/**
 * Judges the fields of a payment that is not staged (§4.5).
 * @throws ApiError FORMAT_ERROR with a detail for each fault
 */
export function requireValid(
  rules: PaymentRules,
  { fields, senderAccount }: { fields: PaymentFields; senderAccount: SenderAccount | undefined },
): Pick<Verdict, 'warnings'> & { senderAccount: SenderAccount } {
  const { errors, warnings } = rules.validate(fields, senderAccount);
  const details = errors.map((fault) => ({ path: fault.path, text: textOf(fault) }));
  if (details.length > 0 || senderAccount === undefined) throw notInitiated(details);
  return { warnings, senderAccount };
}

/** The beginning of the day on which a payment is to be executed; undefined: as soon as it is approved (§4.5). */
export function notBefore(
  initiation: Initiation | undefined,
  time: Pick<ClientTime, 'aheadMs'>,
  senderAccount: SenderAccount,
): Date | undefined {
  const day = initiation?.executionDate;
  return day === undefined ? undefined : beginsAt(day, time, countryOf(senderAccount));
}

/** Returns the fault of the first day of a payment; undefined if it is valid. */
export function startFault(date: LocalDate, today: LocalDate): Text | undefined {
  if (date < today) return INITIATION_TEXTS('day-past', { today });
  const last = addDays(today, MAX_DAYS_AHEAD);
  return date > last ? INITIATION_TEXTS('day-too-late', { last }) : undefined;
}
