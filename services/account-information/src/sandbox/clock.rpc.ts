import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import { type ClientClockServiceServer, ClientClockServiceService } from '@kontoport/proto/accounts/v1';
import type { Db } from '../gen/db.ts';
import { findMovedClocks } from './clock.repository.ts';

const MAX_CLOCKS = 1_000;
const BEGINNING = new Date(0);

/** Serves the clocks of the sandbox's clients to services with their own times. Real accounts have none. */
export function clockRpc({ logger, db }: { logger: Logger; db: Db }): Rpc {
  // payments polls twice a second.
  const quiet = logger.child({}, { level: 'warn' });
  return defineRpc({
    definition: ClientClockServiceService,
    allowedCallers: { listMovedClocks: ['payments'] },
    implementation: {
      listMovedClocks: unary(quiet, async ({ since }) => {
        const clocks = await findMovedClocks(db, { since: since ?? BEGINNING, limit: MAX_CLOCKS });
        return {
          clocks: clocks.map(({ clientId, offsetMs, movedAt }) => ({
            clientId,
            offsetMilliseconds: BigInt(offsetMs),
            movedAt,
          })),
        };
      }),
    } satisfies ClientClockServiceServer,
  });
}
