import { ApiError, type ErrorDetail, type Language, type Text } from '@kontoport/errors';
import type { DraftStatus } from './draft-status.model.ts';
import { type Draft, isValid } from './draft.model.ts';
import {
  type PaymentRules,
  type Posting,
  type SenderAccount,
  textOf,
} from './payment-types/payment-type.model.ts';
import { type Approval, approve, submit } from './payment.model.ts';
import { TEXTS } from './texts.ts';

/** Statuses of a basket (§2.10). */
export const BASKET_STATUSES = ['AWAITING_APPROVAL', 'APPROVED', 'REJECTED', 'EXPIRED'] as const;

export type BasketStatus = (typeof BASKET_STATUSES)[number];

/** A TPP's request to approve drafts. */
export interface BasketRequest {
  /** UUID, chosen by the client: the idempotency key. */
  requestId: string;
  draftIds: readonly string[];
  redirectUrl: string;
}

/** The call that initiated a payment (§4.5). */
export interface InitiationRequest {
  /** The client's X-Request-Id: the idempotency key for 24 hours. */
  readonly key?: string;
  /** SHA-256 of the request, hexadecimal. */
  readonly digest: string;
}

/** Lifetime of a client's X-Request-Id as an idempotency key (§4.5). */
export const INITIATION_KEY_MS = 24 * 60 * 60_000;

/**
 * A signing basket: drafts that are approved together or not at all (§2.10; immutable). A single payment is approved as the one
 * draft of a basket of its own, with its paymentId as `draftIds`, `paymentIds` and `requestId`; a standing order by a basket
 * without drafts, whose one entry of `paymentIds` is its own id.
 */
export interface Basket extends Readonly<BasketRequest> {
  readonly clientId: string;
  /** The consent of the token that made it; absent: one of the client itself. */
  readonly consentId?: string;
  /** The organization that the client belongs to. */
  readonly organizationIdentifier: string;
  /** Ids of the payments that `draftIds` become by the approval, in their order. */
  readonly paymentIds: readonly string[];
  /** Only of a payment that was initiated without a draft (§4.5); absent: the client approved drafts. */
  readonly initiatedBy?: InitiationRequest;
  readonly status: BasketStatus;
  /** The unguessable part of the approval link. */
  readonly approvalId: string;
  readonly createdAt: Date;
  /** The request to its user; absent in the sandbox, which approves at once. */
  readonly approvalRequest?: ApprovalRequest;
}

/** The request to a basket's user to approve it (§3.2; immutable). */
export interface ApprovalRequest {
  /** UUID of the user whose accounts pay; no other user may answer. */
  readonly userId: string;
  /** Without a result by then the basket is EXPIRED. */
  readonly expiresAt: Date;
  /** The time of the next poll, `expiresAt` at the latest; during a poll, the end of its lease. */
  readonly dueAt: Date;
  /** Number of polls of the bank that began. */
  readonly attempts: number;
  /** The user's answer on the page; it never changes. */
  readonly answer?: Answer;
  /** Page of the bank where the user can answer in a browser. */
  readonly approvalUrl?: string;
  /** The `error` of the redirect of a REJECTED one. */
  readonly error?: 'access_denied' | 'failed';
  /** W3C traceparent of the request that created it. */
  readonly traceparent: string | undefined;
}

/** The user's answer to what the page showed. */
export interface Answer {
  readonly decision: 'approve' | 'decline';
  /** `digestOf` the content that was shown; absent: the user answered without our page. */
  readonly digest?: string;
  /** Language of the page. */
  readonly language: Language;
  readonly at: Date;
}

/** The start of an approval. */
export interface ApprovalStart {
  /** From the strong customer authentication: complete at once, or waiting for the user. */
  status: 'APPROVED' | 'AWAITING_APPROVAL';
  /** The user answers without our page: only the bank's result is missing. */
  isAnswered?: boolean;
  /** When the approval request expires. */
  expiresAt: Date;
}

/**
 * Decides whether an approval is complete at once or waits for its user.
 * @param postings of the payments to approve, in their order
 */
export type BeginAuthentication = (postings: readonly Posting[]) => Omit<ApprovalStart, 'expiresAt'>;

/**
 * Creates the basket at the start of its approval.
 * @param basket.userId the payer, who approves it
 */
export function newBasket(
  given: Omit<Basket, 'status' | 'createdAt' | 'approvalRequest'>,
  basket: { userId: string; start: ApprovalStart; traceparent: string | undefined; now: Date },
): Basket {
  const { userId, start, traceparent, now } = basket;
  const { status, isAnswered, expiresAt } = start;
  const made = { ...given, status, createdAt: now };
  if (status === 'APPROVED') return made;
  const request = { userId, expiresAt, attempts: 0, traceparent };
  if (!isAnswered) return { ...made, approvalRequest: { ...request, dueAt: expiresAt } };
  const answer = { decision: 'approve', language: 'en', at: now } as const;
  return { ...made, approvalRequest: { ...request, dueAt: now, answer } };
}

/** CREATED → PENDING if the approval is complete at once, else → AWAITING_APPROVAL. @throws ApiError STATUS_INVALID (409) */
export function beginApproval(
  draft: Draft,
  approval: Approval &
    ApprovalStart & { rules: PaymentRules; paymentId: string; senderAccount: SenderAccount },
): Draft {
  return approval.status === 'APPROVED' ? approve(draft, approval) : submit(draft, approval);
}

/**
 * Returns the basket if the same request created it (§4.4).
 * @param basket undefined: a basket of another consent has the id
 * @throws ApiError IDEMPOTENCY_CONFLICT
 */
export function requireSameRequest(basket: Basket | undefined, request: BasketRequest): Basket {
  const same =
    basket !== undefined &&
    basket.initiatedBy === undefined &&
    basket.redirectUrl === request.redirectUrl &&
    basket.draftIds.length === request.draftIds.length &&
    basket.draftIds.every((draftId, i) => draftId === request.draftIds[i]);
  if (same) return basket;
  throw new ApiError('IDEMPOTENCY_CONFLICT', TEXTS('request-id-used'));
}

/** Error for a `redirectUrl` that is not a registered redirect URI of the client (§4.4, §5.6). */
export function redirectUnregistered(): ApiError {
  const fault = TEXTS('redirect-unregistered');
  return new ApiError('FORMAT_ERROR', TEXTS('redirect-refused', { fault }), {
    details: [{ path: 'redirectUrl', text: fault }],
  });
}

/**
 * Begins the approval of all drafts of a request, or of none (§4.4): each must be CREATED and valid, with a sender account that the
 * client may still use, all of one and the same user.
 * @param basket.drafts the client's drafts, by id
 * @param basket.accounts the sender accounts that the client may use now, by `senderKey`
 * @param basket.paymentIds the id of the payment that each of `draftIds` becomes
 * @throws ApiError STATUS_INVALID (400) with a detail for everything that keeps a draft from being approved
 */
export function approveDrafts(basket: {
  draftIds: readonly string[];
  drafts: ReadonlyMap<string, Draft>;
  accounts: ReadonlyMap<string, SenderAccount>;
  paymentIds: readonly string[];
  rulesOf: (draft: Draft) => PaymentRules;
  approval: Approval & ApprovalStart;
}): Draft[] {
  const { draftIds, drafts, accounts, paymentIds, rulesOf, approval } = basket;
  const details: ErrorDetail[] = [];
  const approved: Draft[] = [];
  let first: { path: string; userId: string } | undefined;
  for (const [i, draftId] of draftIds.entries()) {
    const path = `draftIds.${i}`;
    const draft = drafts.get(draftId);
    const senderAccount = draft && accounts.get(senderKey(draft));
    const texts = obstacles(draft, { senderAccount, rulesOf });
    details.push(...texts.map((text) => ({ path, text })));
    if (texts.length > 0) continue;
    const { userId } = senderAccount!;
    first ??= { path, userId };
    // One user cannot approve the payments of another.
    if (userId !== first.userId) details.push({ path, text: TEXTS('other-user', { first: first.path }) });
    const payment = { rules: rulesOf(draft!), paymentId: paymentIds[i]! };
    approved.push(beginApproval(draft!, { ...approval, ...payment, senderAccount: senderAccount! }));
  }
  if (details.length > 0)
    throw new ApiError('STATUS_INVALID', TEXTS('nothing-approved'), { status: 400, details });
  return approved;
}

/** Key of a draft's sender account and the consent that allows it. */
export function senderKey({ consentId = '', fields }: Pick<Draft, 'consentId' | 'fields'>): string {
  return `${consentId}/${fields.senderAccountId ?? ''}`;
}

function obstacles(
  draft: Draft | undefined,
  judge: { senderAccount: SenderAccount | undefined; rulesOf: (draft: Draft) => PaymentRules },
): Text[] {
  if (draft?.kind !== 'draft') return [TEXTS('draft-unknown')];
  if (draft.status !== 'CREATED') return [TEXTS('draft-not-created', { status: draft.status })];
  const faults = isValid(draft)
    ? judge.rulesOf(draft).validate(draft.fields, judge.senderAccount).errors
    : draft.validationErrors;
  return faults.map((fault) => TEXTS('draft-invalid', { path: fault.path, fault: textOf(fault) }));
}

/** One draft in the status of a basket (§2.10). */
export interface BasketEntry {
  draftId: string;
  status: DraftStatus;
  paymentId?: string;
}

/**
 * Lists the drafts of a basket with their statuses. A draft whose payment of this basket was cancelled is always CREATED; a draft
 * that no longer exists is EXPIRED.
 */
export function basketEntries(basket: Basket, drafts: readonly Draft[]): BasketEntry[] {
  const byId = new Map(drafts.map((draft) => [draft.draftId, draft]));
  return basket.draftIds.map((draftId) => {
    const draft = byId.get(draftId);
    if (draft === undefined) return { draftId, status: 'EXPIRED' };
    if (draft.payment?.requestId !== basket.requestId) return { draftId, status: 'CREATED' };
    return { draftId, status: draft.status, paymentId: draft.payment.paymentId };
  });
}
