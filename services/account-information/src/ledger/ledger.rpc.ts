import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import {
  type FailRequest,
  type LedgerServiceServer,
  LedgerServiceService,
} from '@kontoport/proto/accounts/v1';
import type { Db } from '../gen/db.ts';
import { accountResponse, readAccount } from './bank-account.wire.ts';
import { readEnrichment } from './enrichment.wire.ts';
import { getOutcome } from './get-outcome.ts';
import { ingestRpc } from './ingest.rpc.ts';
import { bookedToWire, outcomeResponse } from './outcome.wire.ts';
import type { Posting } from './posting.model.ts';
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
  const pending = <Request>(
    command: 'Authorize' | 'Initiate' | 'Schedule',
    read: (request: Request) => Posting,
  ) =>
    unary(logger, async (request: Request, context) => {
      const posting = read(request);
      await ledger.submit({ command, ...posting }, context);
      return { transactionId: posting.transactionId };
    });
  const ending = (command: 'Fail' | 'Void') =>
    unary(logger, async (request: FailRequest, context) => {
      await ledger.submit({ command, ...readTransactionIds(request) }, context);
      return {};
    });
  return defineRpc({
    definition: LedgerServiceService,
    // Payments posts only in the sandbox, in place of the bank.
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
      putAccount: unary(logger, async (request) => {
        const account = readAccount(request);
        return accountResponse(account, await putAccount(deps, account));
      }),
      getOutcome: unary(logger, async (request) => {
        const ids = readTransactionIds(request);
        return outcomeResponse(ids.transactionId, await getOutcome(deps, ids));
      }),
      post: unary(logger, async (request, context) => {
        const posting = readPosting(request);
        const booked = await ledger.submit({ command: 'Post', ...posting }, context);
        return bookedToWire(posting.transactionId, booked!);
      }),
      authorize: pending('Authorize', readPosting),
      initiate: pending('Initiate', readPosting),
      schedule: pending('Schedule', readPlanned),
      settle: unary(logger, async (request, context) => {
        const settlement = readSettlement(request);
        const booked = await ledger.submit({ command: 'Settle', ...settlement }, context);
        return bookedToWire(settlement.transactionId, booked!);
      }),
      fail: ending('Fail'),
      void: ending('Void'),
      enrich: unary(logger, async (request, context) => {
        const enrichment = readEnrichment(request);
        await ledger.submit({ command: 'Enrich', ...enrichment }, context);
        return { transactionId: enrichment.transactionId };
      }),
      putAttachment: deps.putAttachment,
    } satisfies LedgerServiceServer,
  });
}
