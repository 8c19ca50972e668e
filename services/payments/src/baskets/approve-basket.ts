import { randomBytes, randomUUID } from 'node:crypto';
import type { DirectoryClient } from '@kontoport/client-directory';
import { context, propagation } from '@opentelemetry/api';
import type { FindAccount } from '../accounts/account-access.ts';
import type { SenderAccount } from '../accounts/sender-account.model.ts';
import type { Draft } from '../drafts/draft.model.ts';
import { type PaymentTypes, rulesOf } from '../payment-types/payment-type.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import {
  type ApprovalRequest,
  approveDrafts,
  type Basket,
  requireRegisteredRedirect,
  requireSameRequest,
} from './basket.model.ts';
import type { AuthenticateUser } from './strong-customer-authentication.ts';

/**
 * Approves a signing basket (§3.2, §4.4): all drafts or none, once per requestId, also when twins arrive together.
 * The drafts are read twice: before, to ask the bank for their accounts; within the store's decision, to decide.
 * @param deps.settlementDelayMs milliseconds from approval to settlement
 * @throws ApiError IDEMPOTENCY_CONFLICT, FORMAT_ERROR (redirectUrl), STATUS_INVALID (400, each draft in `details`),
 * UNAVAILABLE when the sender accounts cannot be checked
 */
export async function approveBasket(
  deps: {
    store: PaymentStore;
    paymentTypes: PaymentTypes;
    findAccount: FindAccount;
    authenticateUser: AuthenticateUser;
    settlementDelayMs: number;
  },
  order: { client: DirectoryClient; request: ApprovalRequest; now: Date; signal: AbortSignal },
): Promise<Basket> {
  const { store, paymentTypes, settlementDelayMs } = deps;
  const { client, request, now, signal } = order;
  const { clientId } = client;
  const { requestId, draftIds } = request;

  const known = await store.findBasket({ clientId, requestId, now });
  if (known) return requireSameRequest(known, request);
  requireRegisteredRedirect(request.redirectUrl, client.redirectUris);

  const candidates = await store.findDrafts({ clientId, draftIds, now });
  const accounts = await findSenderAccounts(deps.findAccount, { clientId, candidates, signal });
  const status = await deps.authenticateUser({ ...request, clientId });

  // Made before the decision, which must be repeatable.
  const approvalId = randomBytes(32).toString('base64url');
  const paymentIds = new Map(draftIds.map((draftId) => [draftId, randomUUID() as string]));
  const trace: Record<string, string> = {};
  propagation.inject(context.active(), trace);
  const basket = await store.createBasket({
    clientId,
    requestId,
    draftIds,
    now,
    decide: (drafts) => ({
      basket: { ...request, clientId, status, approvalId, createdAt: now },
      drafts: approveDrafts({
        draftIds,
        drafts,
        accounts,
        paymentIds,
        rulesOf: (draft) => rulesOf(paymentTypes, draft),
        approval: { requestId, now, settlementDelayMs, trace },
      }),
    }),
  });
  return requireSameRequest(basket, request);
}

async function findSenderAccounts(
  findAccount: FindAccount,
  search: { clientId: string; candidates: readonly Draft[]; signal: AbortSignal },
): Promise<Map<string, SenderAccount>> {
  const { clientId, candidates, signal } = search;
  const ids = candidates
    .filter(({ status }) => status === 'CREATED')
    .flatMap(({ fields }) => fields.senderAccountId ?? []);
  const found = await Promise.all(
    [...new Set(ids)].map((accountId) => findAccount({ clientId, accountId, signal })),
  );
  // By the id that the drafts name, which an account may answer to in another spelling.
  return new Map([...new Set(ids)].flatMap((id, i) => (found[i] ? [[id, found[i]] as const] : [])));
}
