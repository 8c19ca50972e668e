import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import {
  type ClientCredentialsServiceServer,
  ClientCredentialsServiceService,
} from '@kontoport/proto/registration/v1';
import type { Pepper } from '../clients/client-secret.model.ts';
import type { Db } from '../gen/db.ts';
import { revokeToken } from './revoke-token.ts';
import { verifyCredentials } from './verify-credentials.ts';

/** ClientCredentialsService. */
export function credentialsRpc(deps: {
  /** Connections only for the verification of secrets. */
  credentialsDb: Db;
  /** Connections for all other queries. */
  db: Db;
  hub: { wake(): void };
  peppers: readonly Pepper[];
  revokedTokens: number;
  logger: Logger;
}): Rpc {
  const { logger, credentialsDb, peppers } = deps;
  const implementation: ClientCredentialsServiceServer = {
    verify: unary(logger, async (request) => {
      const client = await verifyCredentials({ db: credentialsDb, peppers }, request);
      logger.info({ outcome: client ? 'accepted' : 'refused' }, 'client credentials');
      return { client };
    }),
    revokeToken: unary(logger, async (request, { signal }) => {
      await revokeToken(deps, { ...request, now: new Date(), signal });
      return {};
    }),
  };
  return defineRpc({
    definition: ClientCredentialsServiceService,
    allowedCallers: { verify: ['auth'], revokeToken: ['auth'] },
    implementation,
  });
}
