import { randomBytes } from 'node:crypto';
import type { ClientDirectory } from '@kontoport/client-directory';
import { databaseAccess, openDb } from '@kontoport/database';
import { createAccessTokenVerifier, type VerifyAccessToken } from '@kontoport/gate';
import { bankConnection } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import type { Environment, OpenContext } from '@kontoport/service';
import { createLocalJWKSet } from 'jose/jwks/local';
import type { Adapters } from './adapters.ts';
import { CredentialCache } from './client-authentication/credential-cache.model.ts';
import { FailedAuthLimiter } from './client-authentication/failed-auth-limiter.model.ts';
import type { Config } from './config.ts';
import type { AuthorizationKeys } from './domain/authorization-keys.model.ts';
import type { AuthProfile } from './domain/profile.model.ts';
import { createPrisma, type Db, MIGRATION } from './gen/db.ts';
import { type KeyRing, openKeyRing } from './signing-keys/open-key-ring.ts';
import type { UserAuthentication } from './user-session/user-authentication.ts';

/** Dependencies of the entry points. */
export interface Deps {
  environment: Environment;
  logger: Logger;
  db: Db;
  keyRing: KeyRing;
  registration: ClientCredentialsServiceClient;
  failedAuthLimiter: FailedAuthLimiter;
  credentialCache: CredentialCache;
  directory: ClientDirectory;
  /** Verifies with the signing keys of this service. */
  verifyAccessToken: VerifyAccessToken;
  payments: ApprovalsServiceClient;
  consents: ConsentsServiceClient;
  userAuthentication: UserAuthentication;
  authorizationKeys: AuthorizationKeys;
  profile: AuthProfile;
  /** Base of the pages of the bank's users, as browsers reach it. */
  userUrl: string;
  /** The `iss` of the tokens: auth_url. */
  issuer: string;
  /** The lifetime of a token, milliseconds. */
  lifetimeMs: number;
}

/** Opens all dependencies. @throws ConfigError when SECRETS_KEY does not open the stored keys */
export async function openDeps(context: OpenContext<Config, Adapters>): Promise<Deps> {
  const { service, config, adapters, logger, lifecycle, gate, connect } = context;
  const db = openDb({
    ...databaseAccess({ config, logger }),
    applicationName: service,
    prisma: createPrisma,
    migration: MIGRATION,
  });
  lifecycle.own('database', db);
  const registration = connect(ClientCredentialsServiceClient, config.REGISTRATION_GRPC);
  const payments = connect(ApprovalsServiceClient, config.PAYMENTS_GRPC);
  const consents = connect(ConsentsServiceClient, config.ACCOUNTS_GRPC);
  const keyRing = await openKeyRing({
    db,
    secretsKeys: config.SECRETS_KEY,
    rotationMs: config.KEY_ROTATION,
    logger,
  });
  return {
    environment: config.ENVIRONMENT,
    logger,
    db,
    keyRing,
    verifyAccessToken: createAccessTokenVerifier({
      keys: (header, token) => createLocalJWKSet({ keys: keyRing.published(new Date()) })(header, token),
      issuer: config.TOKEN_ISSUER,
    }),
    registration,
    credentialCache: new CredentialCache(randomBytes(32)),
    directory: gate.directory,
    failedAuthLimiter: new FailedAuthLimiter({
      perPair: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
      perOrganization: config.FAILED_AUTHENTICATIONS_PER_ORGANIZATION,
    }),
    payments,
    consents,
    userAuthentication: adapters.userAuthentication({
      consents,
      connect: bankConnection({ config, lifecycle, logger }),
    }),
    get authorizationKeys() {
      return keyRing.authorizationKeys;
    },
    profile: config.AUTH_PROFILE,
    userUrl: config.USER_URL,
    issuer: config.TOKEN_ISSUER,
    lifetimeMs: config.TOKEN_LIFETIME,
  };
}
