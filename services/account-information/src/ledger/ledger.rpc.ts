import { type Rpc, unary } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import {
  type AuthorizeRequest,
  type AuthorizeResponse,
  type FailRequest,
  type FailResponse,
  type GetOutcomeRequest,
  type GetOutcomeResponse,
  LedgerServiceService,
  type PostRequest,
  type PostResponse,
  type PutAccountRequest,
  type PutAccountResponse,
  type SettleRequest,
  type SettleResponse,
  type VoidRequest,
  type VoidResponse,
} from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import { accountResponse, readAccount } from './bank-account.wire.ts';
import { failTransaction, settleTransaction, voidTransaction } from './end-authorization.ts';
import { getOutcome } from './get-outcome.ts';
import type { Booked } from './ledger.repository.ts';
import { withinRange } from './out-of-range.ts';
import { outcomeResponse } from './outcome.wire.ts';
import { authorizeTransaction, postTransaction } from './post-transaction.ts';
import { readPosting, readSettlement, readTransactionIds } from './posting.wire.ts';
import { putAccount } from './put-account.ts';

/** The bank's feed into the accounts. */
export function ledgerRpc(deps: { logger: Logger } & Parameters<typeof postTransaction>[0]): Rpc {
  const { logger } = deps;
  return {
    definition: LedgerServiceService,
    implementation: {
      putAccount: unary<PutAccountRequest, PutAccountResponse>(logger, async (request) => {
        const account = readAccount(request);
        return accountResponse(account, await withinRange(putAccount(deps, account)));
      }),
      getOutcome: unary<GetOutcomeRequest, GetOutcomeResponse>(logger, async (request) => {
        const ids = readTransactionIds(request);
        return outcomeResponse(ids.transactionId, await getOutcome(deps, ids));
      }),
      post: unary<PostRequest, PostResponse>(logger, async (request) => {
        const posting = readPosting(request);
        const { currency } = posting.amount;
        return bookedResponse(posting.transactionId, {
          ...(await withinRange(postTransaction(deps, posting))),
          currency,
        });
      }),
      authorize: unary<AuthorizeRequest, AuthorizeResponse>(logger, async (request) => {
        const posting = readPosting(request);
        await withinRange(authorizeTransaction(deps, posting));
        return { transactionId: posting.transactionId };
      }),
      settle: unary<SettleRequest, SettleResponse>(logger, async (request) => {
        const settlement = readSettlement(request);
        return bookedResponse(
          settlement.transactionId,
          await withinRange(settleTransaction(deps, settlement)),
        );
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
