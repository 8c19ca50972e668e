import { randomBytes, randomUUID } from 'node:crypto';
import { type DirectoryClient, isRedirectUriOf } from '@kontoport/client-directory';
import { activeTraceparent } from '@kontoport/telemetry';
import type { ClientClocks } from '../clocks/client-clocks.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import { type Basket, newBasket, redirectUnregistered } from '../domain/basket.model.ts';
import {
  requireSameInitiation,
  requireValid,
  type ValidInitiation,
} from '../domain/initiations/initiation.model.ts';
import type { FindAccount, PaymentFields, PaymentRules } from '../domain/payment-types/payment-type.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import type { StrongCustomerAuthentication } from '../domain/ports/strong-customer-authentication.ts';

/** Dependencies of `initiate`. */
export interface InitiateDeps {
  store: PaymentStore;
  findAccount: FindAccount;
  authentication: StrongCustomerAuthentication;
  bank: Pick<Bank, 'holdMs'>;
  /** Milliseconds until a question to the user lapses. */
  approvalLifetimeMs: number;
  clocks: ClientClocks;
  settlementDelayMs: number;
}

/** A request to initiate a payment. */
export interface InitiationOrder {
  kind: 'single payment' | 'standing order';
  client: DirectoryClient;
  /** The consent of a token that a user authorized. */
  consentId: string | undefined;
  /** The caller's X-Request-Id: for 24 hours it identifies the same call. */
  key: string | undefined;
  /** Digest of the request. */
  digest: string;
  rules: PaymentRules;
  fields: PaymentFields;
  redirectUrl: string;
  now: Date;
  signal: AbortSignal;
}

/**
 * Initiates a payment (§4.5): checks, approves and stores it in one step, once per X-Request-Id, also for concurrent repetitions. A
 * refused call stores nothing.
 * @param make makes the records; throws for an invalid rest of the body, and may be called again
 * @returns the basket that approves it, whose `requestId` is the paymentId
 * @throws ApiError IDEMPOTENCY_CONFLICT, FORMAT_ERROR with a detail for each fault, RATE_LIMITED, UNAVAILABLE when the account
 * cannot be looked up
 */
export async function initiate(
  deps: InitiateDeps,
  order: InitiationOrder,
  make: (initiated: ValidInitiation) => Omit<BasketState, 'basket'>,
): Promise<Basket> {
  const { store } = deps;
  const { kind, client, consentId, key, digest, rules, fields, redirectUrl, now, signal } = order;
  const { clientId, organizationIdentifier } = client;
  const requester = { clientId, ...(consentId === undefined ? {} : { consentId }) };

  const known = key && (await store.findBasketByInitiationKey({ ...requester, initiationKey: key, now }));
  if (known) return requireSameInitiation(known, digest);
  if (!isRedirectUriOf(client, redirectUrl)) throw redirectUnregistered();

  const { senderAccountId: accountId } = fields;
  const found =
    accountId === undefined ? undefined : await deps.findAccount({ clientId, consentId, accountId, signal });
  const { senderAccount, warnings } = requireValid(rules, { fields, senderAccount: found });
  const owner = { ...requester, organizationIdentifier };
  const paymentId = randomUUID();
  const draftIds = kind === 'single payment' ? [paymentId] : [];
  const request = { requestId: paymentId, draftIds, redirectUrl };
  const expiresAt = new Date(now.getTime() + deps.approvalLifetimeMs);
  const start = { ...deps.authentication.begin([rules.posting(fields)]), expiresAt };
  const approvalId = randomBytes(32).toString('base64url');
  const traceparent = activeTraceparent();
  const initiatedBy = { ...(key === undefined ? {} : { key }), digest };
  const basket = await store.createBasket({
    ...owner,
    requestId: paymentId,
    initiationKey: key,
    draftIds,
    now,
    decide: () => {
      // The clock is read when the payment is stored: the store gets its later moves.
      const time = { now, aheadMs: deps.clocks.aheadMs(clientId) };
      const { settlementDelayMs } = deps;
      const { holdMs } = deps.bank;
      const made = { requestId: paymentId, settlementDelayMs, holdMs, traceparent, now };
      const approval = { ...made, ...start, paymentId, rules, senderAccount };
      const given = { ...request, ...owner, paymentIds: [paymentId], initiatedBy, approvalId };
      const { userId } = senderAccount;
      return {
        basket: newBasket(given, { userId, start, traceparent, now }),
        ...make({ owner, paymentId, senderAccount, warnings, time, approval }),
      };
    },
  });
  return requireSameInitiation(basket, digest);
}
