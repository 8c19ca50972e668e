import { type Rpc, unary } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import { LedgerServiceService, type PostRequest, type PostResponse } from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import { postTransaction } from './post-transaction.ts';
import { readPosting } from './posting.wire.ts';

/** The bank's feed into the accounts. */
export function ledgerRpc(deps: { logger: Logger } & Parameters<typeof postTransaction>[0]): Rpc {
  return {
    definition: LedgerServiceService,
    implementation: {
      post: unary<PostRequest, PostResponse>(deps.logger, async (request) => {
        const posting = readPosting(request);
        const { postingTime, balanceAfter } = await postTransaction(deps, posting);
        const { currency } = posting.amount;
        return {
          transactionId: posting.transactionId,
          postingTime,
          balanceAfter: { value: formatMoney({ minorUnits: balanceAfter, currency }), currency },
        };
      }),
    },
  };
}
