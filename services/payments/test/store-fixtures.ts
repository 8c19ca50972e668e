import { randomUUID } from 'node:crypto';
import { KeyedCounter } from '@kontoport/fairness';
import {
  type ApprovalStart,
  type Basket,
  beginApproval,
  type InitiationRequest,
  newBasket,
} from '../src/domain/basket.model.ts';
import { type Draft, newDraft } from '../src/domain/draft.model.ts';
import type { SenderAccount } from '../src/domain/payment-types/payment-type.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';

/** A moment that all cases begin at. */
export const NOW = new Date('2026-11-21T12:00:00Z');
/** A claim without bounds but its own. */
export const DUE = { limit: 10, limitPerOrganization: 10, inFlight: new KeyedCounter(), leaseMs: 5_000 };
export const later = (ms: number): Date => new Date(NOW.getTime() + ms);

/** The account that pays. */
export const SENDER = {
  accountId: 'account',
  userId: '9a5b3c7d-1e2f-4a60-8b9c-0d1e2f3a4b55',
  bban: '',
  ownerName: '',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};

/** A draft of a client, CREATED. */
export function draftOf(
  clientId: string,
  createdAt = NOW,
  organizationIdentifier = `PSDDK-DFSA-${clientId}`,
): Draft {
  return newDraft(
    {
      clientId,
      organizationIdentifier,
      draftId: randomUUID(),
      paymentType: 'domestic-credit-transfer',
      name: 'Rent',
    },
    { rules: PAYMENT_TYPES['domestic-credit-transfer'], now: createdAt },
  );
}

/** Approves drafts of one client, due after `delayMs`. */
export function approveDraftsIn(store: PaymentStore, approval: ApproveIn): Promise<Basket> {
  return beginIn(store, { ...approval, start: { status: 'APPROVED', expiresAt: NOW } });
}

/** Asks the user of drafts of one client for an approval, until `expiresAt`. */
export function requestApproval(
  store: PaymentStore,
  { expiresAt, ...approval }: ApproveIn & { expiresAt: Date },
): Promise<Basket> {
  return beginIn(store, { ...approval, start: { status: 'AWAITING_APPROVAL', expiresAt } });
}

async function beginIn(store: PaymentStore, approval: ApproveIn & { start: ApprovalStart }): Promise<Basket> {
  const { drafts, delayMs = 0, requestId = randomUUID(), now = NOW, start, initiatedBy } = approval;
  const { senderAccount = SENDER } = approval;
  const { clientId, organizationIdentifier } = drafts[0]!;
  const draftIds = drafts.map((draft) => draft.draftId);
  const paymentIds = drafts.map(() => randomUUID());
  const owner = { clientId, organizationIdentifier, requestId, draftIds };
  const given = {
    ...owner,
    paymentIds,
    redirectUrl: 'https://tpp.test/callback',
    approvalId: randomUUID(),
    ...(initiatedBy && { initiatedBy }),
  };
  const traceparent = undefined;
  return (await store.createBasket({
    ...owner,
    now,
    decide: (found) => {
      const begun = draftIds.map((draftId, i) =>
        beginApproval(found.get(draftId)!, {
          ...start,
          rules: PAYMENT_TYPES['domestic-credit-transfer'],
          paymentId: paymentIds[i]!,
          requestId,
          settlementDelayMs: delayMs,
          traceparent,
          senderAccount,
          now,
        }),
      );
      return {
        basket: newBasket(given, {
          userId: '9a5b3c7d-1e2f-4a60-8b9c-0d1e2f3a4b55',
          start,
          traceparent,
          now,
        }),
        drafts: begun,
      };
    },
  }))!;
}

interface ApproveIn {
  drafts: readonly Draft[];
  delayMs?: number;
  requestId?: string;
  senderAccount?: SenderAccount;
  initiatedBy?: InitiationRequest;
  now?: Date;
}

/** The items that a caller works on already. */
export const held = (organization: string, count: number): KeyedCounter => {
  const tally = new KeyedCounter();
  tally.add(organization, count);
  return tally;
};
