import { type Rpc, unary } from '@kontoport/grpc';
import {
  type ClientCredentialsServiceServer,
  ClientCredentialsServiceService,
} from '@kontoport/proto/registration/v1';
import type { Logger } from '@kontoport/runtime';
import type { Db } from '../db.ts';
import { verifyCredentials } from './verify-credentials.ts';

/** ClientCredentialsService. */
export function credentialsRpc(deps: { db: Db; pepper: Uint8Array; logger: Logger }): Rpc {
  const { logger } = deps;
  const implementation: ClientCredentialsServiceServer = {
    verify: unary(logger, async (request) => {
      const client = await verifyCredentials(deps, request);
      logger.info({ outcome: client ? 'accepted' : 'refused' }, 'client credentials');
      return { client };
    }),
  };
  return { definition: ClientCredentialsServiceService, implementation };
}
