import { ApiError } from '@kontoport/errors';
import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import {
  RecordRequestsResponse,
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@kontoport/proto/requests/v1';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { MAX_RECORDED } from './logged-request.model.ts';
import { deleteSurplus, insertRequests } from './logged-request.repository.ts';

/** Stores the answered requests of all services (§Sandbox). */
export function requestLogRpc({ logger, db }: { logger: Logger; db: Db }): Rpc {
  // Every replica of a service sends twice a second.
  const quiet = logger.child({}, { level: 'warn' });
  return defineRpc({
    definition: RequestLogServiceService,
    allowedCallers: {
      recordRequests: ['registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'],
    },
    implementation: {
      recordRequests: unary(quiet, async ({ requests }) => {
        if (requests.length > MAX_RECORDED)
          throw new ApiError('FORMAT_ERROR', TEXTS('too-many-entries', { most: MAX_RECORDED }));
        await insertRequests(db, requests);
        await deleteSurplus(db, [...new Set(requests.map(({ organization }) => organization))]);
        return RecordRequestsResponse.create();
      }),
    } satisfies RequestLogServiceServer,
  });
}
