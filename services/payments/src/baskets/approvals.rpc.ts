import { ApiError } from '@kontoport/errors';
import { type Rpc, unary } from '@kontoport/grpc';
import {
  ApprovalsServiceService,
  type GetBasketRequest,
  type GetBasketResponse,
} from '@kontoport/proto/payments/v1';
import type { Logger } from '@kontoport/runtime';
import type { PaymentStore } from '../store/payment-store.ts';
import { TEXTS } from '../texts.ts';

/** ApprovalsService: what the approval page needs. NOT_FOUND for an unknown or lapsed link. */
export function approvalsRpc({ store, logger }: { store: PaymentStore; logger: Logger }): Rpc {
  return {
    definition: ApprovalsServiceService,
    implementation: {
      getBasket: unary<GetBasketRequest, GetBasketResponse>(logger, async ({ approvalId }) => {
        const basket = await store.findBasketByApprovalId({ approvalId, now: new Date() });
        if (basket === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-approval'));
        const { requestId, status, redirectUrl } = basket;
        return { requestId, status, redirectUrl };
      }),
    },
  };
}
