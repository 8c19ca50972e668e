import { openPool } from '@kontoport/database';
import { createClient } from '@kontoport/grpc';
import { openGate } from '@kontoport/gate';
import { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import type { Lifecycle, Logger, readConfig } from '@kontoport/runtime';
import { PrismaPg } from '@prisma/adapter-pg';
import type { config as shape } from './config.ts';
import { PrismaClient } from './gen/prisma/client.ts';
import { openKeyRing } from './signing-keys/open-key-ring.ts';

/** Opens everything that auth works with; `lifecycle` owns it. */
export async function openDeps(options: {
  config: ReturnType<typeof readConfig<typeof shape>>;
  logger: Logger;
  lifecycle: Lifecycle;
}) {
  const { config, logger, lifecycle } = options;
  const pool = openPool({ url: config.DATABASE_URL, applicationName: 'auth' });
  lifecycle.own('database', { close: () => pool.end() });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const registration = createClient(ClientCredentialsServiceClient, config.REGISTRATION_GRPC);
  lifecycle.own('registration', { close: async () => registration.close() });
  const payments = createClient(ApprovalsServiceClient, config.PAYMENTS_GRPC);
  lifecycle.own('payments', { close: async () => payments.close() });
  const keyRing = lifecycle.own(
    'signing keys',
    await openKeyRing({
      prisma,
      secretsKey: config.SECRETS_KEY,
      rotationMs: config.KEY_ROTATION,
      logger,
    }),
  );
  const gate = await openGate({ service: 'auth', config, logger, lifecycle });
  return {
    logger,
    pool,
    gate,
    keyRing,
    registration,
    payments,
    issuer: config.TOKEN_ISSUER,
    lifetimeMs: config.TOKEN_LIFETIME,
  };
}

export type Deps = Awaited<ReturnType<typeof openDeps>>;
