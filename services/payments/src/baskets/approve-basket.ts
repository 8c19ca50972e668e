import { randomBytes, randomUUID } from 'node:crypto';
import { type DirectoryClient, isRedirectUriOf } from '@kontoport/client-directory';
import { activeTraceparent } from '@kontoport/telemetry';
import {
  approveDrafts,
  type Basket,
  type BasketRequest,
  type BeginAuthentication,
  newBasket,
  redirectUnregistered,
  requireSameRequest,
  senderKey,
} from '../domain/basket.model.ts';
import { type Draft, isValid } from '../domain/draft.model.ts';
import {
  type FindAccount,
  type PaymentRules,
  rulesOf,
  type SenderAccount,
} from '../domain/payment-types/payment-type.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { BasketStore } from '../domain/ports/basket-store.ts';
import { awaitBooking } from './await-booking.ts';

/**
 * Approves a signing basket (§3.2, §4.4): all drafts or none, once per requestId, also for concurrent repetitions.
 * The drafts are read first, to ask the bank for their accounts.
 * Payments that their types book at once are booked when this resolves, unless the bank gives no answer.
 * @param deps.settlementDelayMs milliseconds from approval to settlement
 * @param deps.approvalLifetimeMs milliseconds until a question to the user lapses
 * @param deps.bookingWaitMs milliseconds that the bank has for payments that are booked at once
 * @throws ApiError IDEMPOTENCY_CONFLICT, FORMAT_ERROR (redirectUrl), STATUS_INVALID (400, each draft in `details`),
 * UNAVAILABLE when the sender accounts cannot be checked
 */
export async function approveBasket(
  deps: ApprovalDeps & { bookingWaitMs: number },
  order: ApprovalOrder,
): Promise<Basket> {
  const { basket, drafts } = await createOrFindBasket(deps, order);
  const atOnce = drafts.filter((draft) => rulesOf(deps.paymentTypes, draft).onApproval === 'settle-at-once');
  if (basket.status === 'APPROVED' && atOnce.length > 0)
    await awaitBooking(deps.store, {
      basket,
      draftIds: atOnce.map(({ draftId }) => draftId),
      limitMs: deps.bookingWaitMs,
      signal: order.signal,
    });
  return basket;
}

interface ApprovalDeps {
  store: BasketStore;
  paymentTypes: Readonly<Record<string, PaymentRules>>;
  findAccount: FindAccount;
  authentication: { begin: BeginAuthentication };
  bank: Pick<Bank, 'holdMs'>;
  approvalLifetimeMs: number;
  settlementDelayMs: number;
}

interface ApprovalOrder {
  client: DirectoryClient;
  /** The consent of a token that a user authorized. */
  consentId: string | undefined;
  request: BasketRequest;
  now: Date;
  signal: AbortSignal;
}

/** The basket of the request, new or existing, and those of its drafts that exist. */
async function createOrFindBasket(
  deps: ApprovalDeps,
  order: ApprovalOrder,
): Promise<{ basket: Basket; drafts: readonly Draft[] }> {
  const { store, paymentTypes, authentication, bank, settlementDelayMs } = deps;
  const { client, consentId, request, now, signal } = order;
  const { clientId, organizationIdentifier } = client;
  const owner = { clientId, ...(consentId === undefined ? {} : { consentId }) };
  const { requestId, draftIds } = request;

  const { basket: known, drafts: candidates } = await store.findBasketAndDrafts({
    ...owner,
    requestId,
    draftIds,
    now,
  });
  if (known) {
    return { basket: requireSameRequest(known, request), drafts: candidates };
  }
  if (!isRedirectUriOf(client, request.redirectUrl)) throw redirectUnregistered();

  const accounts = await findSenderAccounts(deps.findAccount, { candidates, signal });
  const expiresAt = new Date(now.getTime() + deps.approvalLifetimeMs);

  // Made before the decision, which must be repeatable.
  const approvalId = randomBytes(32).toString('base64url');
  const paymentIds = draftIds.map(() => randomUUID());
  const traceparent = activeTraceparent();
  const basket = await store.createBasket({
    ...owner,
    organizationIdentifier,
    requestId,
    draftIds,
    now,
    decide: (found) => {
      // Whatever is not valid makes approveDrafts throw.
      const valid = draftIds.map((draftId) => found.get(draftId)).filter((draft) => draft && isValid(draft));
      const postings = valid.map((draft) => rulesOf(paymentTypes, draft!).posting(draft!.fields));
      const start = { ...authentication.begin(postings), expiresAt };
      const drafts = approveDrafts({
        draftIds,
        drafts: found,
        accounts,
        paymentIds,
        rulesOf: (draft) => rulesOf(paymentTypes, draft),
        approval: { requestId, now, settlementDelayMs, holdMs: bank.holdMs, traceparent, ...start },
      });
      // All drafts have the same user.
      const userId = drafts[0]?.senderAccount?.userId ?? '';
      const given = { ...request, ...owner, organizationIdentifier, paymentIds, approvalId };
      return { basket: newBasket(given, { userId, start, traceparent, now }), drafts };
    },
  });
  return { basket: requireSameRequest(basket, request), drafts: candidates };
}

async function findSenderAccounts(
  findAccount: FindAccount,
  { candidates, signal }: { candidates: readonly Draft[]; signal: AbortSignal },
): Promise<Map<string, SenderAccount>> {
  // Only the client's own accounts cause a call to the bank.
  const valid = candidates.filter((draft) => draft.status === 'CREATED' && isValid(draft));
  const bySender = new Map(valid.map((draft) => [senderKey(draft), draft]));
  const found = await Promise.all(
    [...bySender].map(async ([key, { clientId, consentId, fields }]) => {
      const accountId = fields.senderAccountId;
      // The key contains the account id as the drafts spell it; the account's own id may be spelled differently.
      return [key, accountId && (await findAccount({ clientId, consentId, accountId, signal }))] as const;
    }),
  );
  return new Map(found.flatMap(([key, account]) => (account ? [[key, account] as const] : [])));
}
