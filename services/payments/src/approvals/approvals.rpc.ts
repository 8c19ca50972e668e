import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import {
  ApprovalsServiceService,
  type DecideRequest,
  type DecideResponse,
  type GetApprovalRequest,
  type GetApprovalResponse,
  type GetBasketRequest,
  type GetBasketResponse,
} from '@kontoport/proto/payments/v1';
import { approvalStatusToWire, approvalToWire, readDecision, readQuestion } from './approvals.wire.ts';
import { decideApproval } from './decide-approval.ts';
import type { PollBankDeps } from './poll-bank.ts';
import { showApproval } from './show-approval.ts';

/** ApprovalsService: what the approval pages need. NOT_FOUND for an unknown or lapsed link, and for another user's. */
export function approvalsRpc(deps: PollBankDeps): Rpc {
  const { logger } = deps;
  return defineRpc({
    definition: ApprovalsServiceService,
    // No service calls getBasket; the pages read the whole approval.
    allowedCallers: { getBasket: [], getApproval: ['auth'], decide: ['auth'] },
    implementation: {
      getBasket: unary<GetBasketRequest, GetBasketResponse>(logger, async ({ approvalId }) => {
        const question = { approvalId, userId: undefined, now: new Date() };
        const { basket } = await showApproval(deps, question);
        const { requestId, status, redirectUrl } = basket;
        return { requestId, status, redirectUrl };
      }),
      getApproval: unary<GetApprovalRequest, GetApprovalResponse>(logger, async (request) =>
        approvalToWire(await showApproval(deps, { ...readQuestion(request), now: new Date() })),
      ),
      decide: unary<DecideRequest, DecideResponse>(logger, async (request) => {
        const basket = await decideApproval(deps, { ...readDecision(request), now: new Date() });
        return { standing: approvalStatusToWire(basket) };
      }),
    },
  });
}
