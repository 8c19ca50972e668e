import { ApiError, type ErrorDetail } from '@kontoport/errors';
import type { SenderAccount } from '../accounts/sender-account.model.ts';
import { validateTransfer } from '../payment-types/domestic-credit-transfer.model.ts';
import { approve, type Draft, isValid, type Payment } from '../drafts/draft.model.ts';
import type { DraftStatus } from '../drafts/draft-status.model.ts';

/** DESIGN §4. */
export type BasketStatus = 'AWAITING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'EXPIRED';

/** What a TPP asks to approve. */
export interface ApprovalRequest {
  /** UUID, chosen by the client; the same one again is the same request. */
  requestId: string;
  draftIds: readonly string[];
  redirectUrl: string;
}

/** A signing basket: drafts that are approved together or not at all (specification §2.10; immutable). */
export interface Basket extends Readonly<ApprovalRequest> {
  readonly clientId: string;
  readonly status: BasketStatus;
  /** The unguessable part of the approval link. */
  readonly approvalId: string;
  readonly createdAt: Date;
}

/** Hands back the basket when it was made by the same request. @throws ApiError IDEMPOTENCY_CONFLICT */
export function requireSameRequest(basket: Basket, request: ApprovalRequest): Basket {
  const same =
    basket.redirectUrl === request.redirectUrl &&
    basket.draftIds.length === request.draftIds.length &&
    basket.draftIds.every((draftId, i) => draftId === request.draftIds[i]);
  if (same) return basket;
  throw new ApiError(
    'IDEMPOTENCY_CONFLICT',
    'This requestId was used before with other draftIds or another redirectUrl.',
  );
}

/**
 * Demands that `redirectUrl` is a registered redirect URI: the same scheme, host, port and path (DESIGN §4); its query
 * is the client's own. Neither user information nor a fragment is accepted.
 * @throws ApiError FORMAT_ERROR
 */
export function requireRegisteredRedirect(redirectUrl: string, registered: readonly string[]): void {
  const place = placeOf(redirectUrl);
  if (place !== undefined && registered.some((uri) => placeOf(uri) === place)) return;
  const message = 'is not one of the registered redirect URIs (scheme, host, port and path must be the same)';
  throw new ApiError('FORMAT_ERROR', `\`redirectUrl\` ${message}.`, {
    details: [{ path: 'redirectUrl', message }],
  });
}

function placeOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Approves all drafts of a request, or none: each must be CREATED and valid, with a sender account that the client may
 * still use.
 * @param approval.drafts the client's drafts, by id
 * @param approval.accounts the sender accounts that the client may use now, by id
 * @param approval.payments the payment that each draft becomes, by draft id
 * @throws ApiError STATUS_INVALID (400) with a detail for every draft that cannot be approved
 */
export function approveDrafts(approval: {
  request: ApprovalRequest;
  drafts: ReadonlyMap<string, Draft>;
  accounts: ReadonlyMap<string, SenderAccount>;
  payments: ReadonlyMap<string, Omit<Payment, 'attempts'>>;
  now: Date;
}): Draft[] {
  const { request, drafts, accounts, payments, now } = approval;
  const details: ErrorDetail[] = [];
  const approved: Draft[] = [];
  for (const [i, draftId] of request.draftIds.entries()) {
    const draft = drafts.get(draftId);
    const senderAccount = accounts.get(draft?.fields.senderAccountId ?? '');
    const message = obstacle(draft, senderAccount);
    if (message !== undefined) details.push({ path: `draftIds.${i}`, message });
    else
      approved.push(approve(draft!, { payment: payments.get(draftId)!, senderAccount: senderAccount!, now }));
  }
  if (details.length > 0)
    throw new ApiError('STATUS_INVALID', 'Nothing was approved: not every draft can be; see `details`.', {
      status: 400,
      details,
    });
  return approved;
}

function obstacle(draft: Draft | undefined, senderAccount: SenderAccount | undefined): string | undefined {
  if (draft === undefined) return 'is unknown';
  if (draft.status !== 'CREATED') return `is ${draft.status}, not CREATED`;
  const [fault] = isValid(draft)
    ? validateTransfer(draft.fields, senderAccount).errors
    : draft.validationErrors;
  return fault === undefined ? undefined : `is not valid: ${fault.path} ${fault.message}`;
}

/** One draft of a basket as the status tells it (specification §2.10). */
export interface BasketEntry {
  draftId: string;
  status: DraftStatus;
  paymentId?: string;
}

/**
 * How the drafts of a basket stand. A draft whose payment of this basket was cancelled is CREATED for this basket,
 * whatever became of it since; one whose time is over is EXPIRED.
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
