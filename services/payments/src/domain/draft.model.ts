import { ApiError, type ErrorCode, type StoredText } from '@kontoport/errors';
import { type DraftStatus, nextStatus } from './draft-status.model.ts';
import type {
  Finding,
  PaymentFields,
  PaymentRules,
  SenderAccount,
} from './payment-types/payment-type.model.ts';
import { TEXTS } from './texts.ts';

/** The payment of a draft, from the begin of its approval until it is cancelled. */
export interface Payment {
  /** UUID; also the id of the ledger's transaction, so that a repeated posting moves no money twice. */
  paymentId: string;
  /** The basket that approved it, or asks its user to. */
  requestId: string;
  /** The start of the approval by its user. */
  approvedAt: Date;
  /** The time of the next attempt to post; during an attempt, the end of its claim; during the approval, its expiry. */
  dueAt: Date;
  /** Attempts to post that began. */
  attempts: number;
  /** W3C traceparent of the approval, for the settlement to go on with. */
  traceparent: string | undefined;
}

/**
 * The kind of a draft: one that its TPP staged (§4.4), a single payment, or a run of a standing order (§4.5). The latter
 * two have their paymentId as draftId, and are complete from the beginning.
 */
export type DraftKind = 'draft' | 'single' | 'run';

/** The reason of a rejection, which becomes a sentence in the reader's language (§2.10, §4). */
export interface Rejection extends StoredText {
  readonly errorCode: ErrorCode;
}

/** The fields of a payment that was initiated without being staged (§4.5). */
export interface Initiation {
  /** The URL to which the user returns. */
  readonly redirectUrl: string;
  /** The text that sender and receiver read; absent: the name. */
  readonly message?: string;
  /** The banking day that it is executed on, `YYYY-MM-DD`; absent: as soon as it is approved. */
  readonly executionDate?: string;
}

/** The place of a single payment in the list: newest first, then by id (§4.5). */
export interface PaymentPosition {
  readonly createdAt: Date;
  readonly paymentId: string;
}

/** A draft of a TPP and, once approved, its payment (§2.10; immutable). */
export interface Draft {
  readonly kind: DraftKind;
  readonly clientId: string;
  /** The consent of the token that made it; absent: one of the client itself. */
  readonly consentId?: string;
  /** The organization that the client belongs to. */
  readonly organizationIdentifier: string;
  /** UUID, chosen by the client; unique per client. */
  readonly draftId: string;
  /** The segment of the path that names it (§4.4). */
  readonly paymentType: string;
  readonly name: string;
  /** Those of its payment type, in their right form. */
  readonly fields: PaymentFields;
  /** The bank's last answer about `fields.senderAccountId`; absent if the client may not use the account. */
  readonly senderAccount?: SenderAccount;
  readonly validationErrors: readonly Finding[];
  readonly validationWarnings: readonly Finding[];
  readonly status: DraftStatus;
  /** Only of the kinds `single` and `run`. */
  readonly initiation?: Initiation;
  readonly payment?: Readonly<Payment>;
  /** The reason of a rejection; only if it is REJECTED. */
  readonly rejection?: Rejection;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A new draft without any field: CREATED, not valid. */
export function newDraft(
  given: Pick<
    Draft,
    'clientId' | 'consentId' | 'organizationIdentifier' | 'draftId' | 'paymentType' | 'name'
  >,
  { rules, now }: { rules: PaymentRules; now: Date },
): Draft {
  const { errors, warnings } = rules.validate({}, undefined);
  return {
    kind: 'draft',
    ...given,
    fields: {},
    validationErrors: errors,
    validationWarnings: warnings,
    status: 'CREATED',
    createdAt: now,
    updatedAt: now,
  };
}

/** The same for a draft that does not exist, for another client's and for one of another payment type (§4). */
export function unknownDraft(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-draft'));
}

/** Whether the draft may be approved (§2.10). */
export function isValid(draft: Draft): boolean {
  return draft.validationErrors.length === 0;
}

/**
 * Sets some fields and judges the draft anew.
 * @param change.senderAccount the account that `fields.senderAccountId` names, undefined when it is not accessible
 * @throws ApiError STATUS_INVALID (409) for anything but CREATED
 */
export function updateFields(
  draft: Draft,
  change: {
    rules: PaymentRules;
    fields: PaymentFields;
    senderAccount: SenderAccount | undefined;
    now: Date;
  },
): Draft {
  const status = nextStatus(draft.status, 'update');
  const fields = { ...draft.fields, ...change.fields };
  const { senderAccount: before, ...rest } = draft;
  const senderAccount = change.fields.senderAccountId === undefined ? before : change.senderAccount;
  const { errors, warnings } = change.rules.validate(fields, senderAccount);
  return {
    ...rest,
    ...(senderAccount === undefined ? {} : { senderAccount }),
    fields,
    validationErrors: errors,
    validationWarnings: warnings,
    status,
    updatedAt: change.now,
  };
}

const DELETABLE: readonly DraftStatus[] = ['CREATED', 'REJECTED', 'EXPIRED'];

/** Requires that the draft may be deleted: not while its payment is in progress or made (§4.4). @throws ApiError STATUS_INVALID (409) */
export function requireDeletable({ status }: Draft): void {
  if (!DELETABLE.includes(status)) throw new ApiError('STATUS_INVALID', TEXTS('draft-status', { status }));
}

/** The text that sender and receiver read beside a payment. */
export function messageOf({ initiation, name }: Draft): string {
  return initiation?.message ?? name;
}

/** The payment of a draft that must have one. */
export function paymentOf(draft: Draft): Readonly<Payment> {
  if (draft.payment === undefined) throw new Error('the draft has no payment');
  return draft.payment;
}
