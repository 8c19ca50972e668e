import { type Rpc, unary } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import {
  type AuthorizeRequest,
  type AuthorizeResponse,
  type FailRequest,
  type FailResponse,
  LedgerServiceService,
  type PostRequest,
  type PostResponse,
  type SettleRequest,
  type SettleResponse,
  type VoidRequest,
  type VoidResponse,
} from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import { failTransaction, settleTransaction, voidTransaction } from './end-authorization.ts';
import type { Booked } from './ledger.repository.ts';
import { authorizeTransaction, postTransaction } from './post-transaction.ts';
import { readPosting, readSettlement, readTransactionIds } from './posting.wire.ts';

/** The bank's feed into the accounts. */
export function ledgerRpc(deps: { logger: Logger } & Parameters<typeof postTransaction>[0]): Rpc {
  const { logger } = deps;
  return {
    definition: LedgerServiceService,
    implementation: {
      post: unary<PostRequest, PostResponse>(logger, async (request) => {
        const posting = readPosting(request);
        const { currency } = posting.amount;
        return bookedResponse(posting.transactionId, { ...(await postTransaction(deps, posting)), currency });
      }),
      authorize: unary<AuthorizeRequest, AuthorizeResponse>(logger, async (request) => {
        const posting = readPosting(request);
        await authorizeTransaction(deps, posting);
        return { transactionId: posting.transactionId };
      }),
      settle: unary<SettleRequest, SettleResponse>(logger, async (request) => {
        const settlement = readSettlement(request);
        return bookedResponse(settlement.transactionId, await settleTransaction(deps, settlement));
      }),
      fail: unary<FailRequest, FailResponse>(logger, async (request) => {
        await failTransaction(deps, readTransactionIds(request));
        return {};
      }),
      void: unary<VoidRequest, VoidResponse>(logger, async (request) => {
        await voidTransaction(deps, readTransactionIds(request));
        return {};
      }),
    },
  };
}

function bookedResponse(
  transactionId: string,
  { postingTime, balanceAfter, currency }: Booked & { currency: string },
): PostResponse & SettleResponse {
  const value = formatMoney({ minorUnits: balanceAfter, currency });
  return { transactionId, postingTime, balanceAfter: { value, currency } };
}
