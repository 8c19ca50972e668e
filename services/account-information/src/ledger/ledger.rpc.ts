import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import {
  type AuthorizeRequest,
  type AuthorizeResponse,
  type EnrichRequest,
  type EnrichResponse,
  type FailRequest,
  type FailResponse,
  type GetOutcomeRequest,
  type GetOutcomeResponse,
  type InitiateRequest,
  type InitiateResponse,
  type LedgerServiceServer,
  LedgerServiceService,
  type PostRequest,
  type PostResponse,
  type PutAccountRequest,
  type PutAccountResponse,
  type ScheduleRequest,
  type ScheduleResponse,
  type SettleRequest,
  type SettleResponse,
  type VoidRequest,
  type VoidResponse,
} from '@kontoport/proto/accounts/v1';
import type { Db } from '../gen/db.ts';
import { accountResponse, readAccount } from './bank-account.wire.ts';
import { readEnrichment } from './enrichment.wire.ts';
import { getOutcome } from './get-outcome.ts';
import { ingestRpc } from './ingest.rpc.ts';
import { withinRange } from './out-of-range.ts';
import { outcomeResponse } from './outcome.wire.ts';
import type { Booked } from './posting.model.ts';
import { readPlanned, readPosting, readSettlement, readTransactionIds } from './posting.wire.ts';
import { putAccount } from './put-account.ts';

/**
 * Serves the bank's feed into the accounts.
 * @param deps.putAttachment the handler of the feature that stores attachments
 */
export function ledgerRpc(
  deps: { db: Db; putAttachment: LedgerServiceServer['putAttachment'] } & Parameters<typeof ingestRpc>[0],
): Rpc {
  const { logger, ledger } = deps;
  const { ingest, close } = ingestRpc(deps);
  return defineRpc({
    definition: LedgerServiceService,
    // Payments books in the sandbox alone, where it stands in for the bank.
    allowedCallers: {
      putAccount: ['bank'],
      getOutcome: ['bank'],
      post: ['bank', 'payments'],
      authorize: ['bank'],
      initiate: ['bank'],
      schedule: ['bank'],
      settle: ['bank'],
      fail: ['bank'],
      void: ['bank', 'payments'],
      ingest: ['bank'],
      enrich: ['bank'],
      putAttachment: ['bank'],
    },
    close,
    implementation: {
      ingest,
      putAccount: unary<PutAccountRequest, PutAccountResponse>(logger, async (request) => {
        const account = readAccount(request);
        return accountResponse(account, await withinRange(putAccount(deps, account)));
      }),
      getOutcome: unary<GetOutcomeRequest, GetOutcomeResponse>(logger, async (request) => {
        const ids = readTransactionIds(request);
        return outcomeResponse(ids.transactionId, await getOutcome(deps, ids));
      }),
      post: unary<PostRequest, PostResponse>(logger, async (request, context) => {
        const posting = readPosting(request);
        const booked = await ledger.submit({ command: 'Post', ...posting }, context);
        return bookedResponse(posting.transactionId, booked!);
      }),
      authorize: unary<AuthorizeRequest, AuthorizeResponse>(logger, async (request, context) => {
        const posting = readPosting(request);
        await ledger.submit({ command: 'Authorize', ...posting }, context);
        return { transactionId: posting.transactionId };
      }),
      initiate: unary<InitiateRequest, InitiateResponse>(logger, async (request, context) => {
        const posting = readPosting(request);
        await ledger.submit({ command: 'Initiate', ...posting }, context);
        return { transactionId: posting.transactionId };
      }),
      schedule: unary<ScheduleRequest, ScheduleResponse>(logger, async (request, context) => {
        const posting = readPlanned(request);
        await ledger.submit({ command: 'Schedule', ...posting }, context);
        return { transactionId: posting.transactionId };
      }),
      settle: unary<SettleRequest, SettleResponse>(logger, async (request, context) => {
        const settlement = readSettlement(request);
        const booked = await ledger.submit({ command: 'Settle', ...settlement }, context);
        return bookedResponse(settlement.transactionId, booked!);
      }),
      fail: unary<FailRequest, FailResponse>(logger, async (request, context) => {
        await ledger.submit({ command: 'Fail', ...readTransactionIds(request) }, context);
        return {};
      }),
      void: unary<VoidRequest, VoidResponse>(logger, async (request, context) => {
        await ledger.submit({ command: 'Void', ...readTransactionIds(request) }, context);
        return {};
      }),
      enrich: unary<EnrichRequest, EnrichResponse>(logger, async (request, context) => {
        const enrichment = readEnrichment(request);
        await ledger.submit({ command: 'Enrich', ...enrichment }, context);
        return { transactionId: enrichment.transactionId };
      }),
      putAttachment: deps.putAttachment,
    },
  });
}

function bookedResponse(
  transactionId: string,
  { postingTime, balanceAfter, currency }: Booked,
): PostResponse & SettleResponse {
  const value = formatMoney({ minorUnits: balanceAfter, currency });
  return { transactionId, postingTime, balanceAfter: { value, currency } };
}
