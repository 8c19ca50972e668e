import { ApiError } from '@kontoport/errors';
import { type Rpc, unary } from '@kontoport/grpc';
import {
  ConsentsServiceService,
  type ListConsentsRequest,
  type ListConsentsResponse,
} from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import { z } from 'zod';
import type { PrismaClient } from '../gen/prisma/client.ts';
import { findLiveConsents } from './consent.repository.ts';
import { TEXTS } from '../texts.ts';

/** The consents of the bank's users. */
export function consentsRpc({ logger, prisma }: { logger: Logger; prisma: PrismaClient }): Rpc {
  return {
    definition: ConsentsServiceService,
    implementation: {
      listConsents: unary<ListConsentsRequest, ListConsentsResponse>(logger, async ({ clientId }) => {
        if (!z.guid().safeParse(clientId).success)
          throw new ApiError('FORMAT_ERROR', TEXTS('client-id-invalid'));
        const consents = await findLiveConsents(prisma, clientId);
        return { consents: consents.map(({ id, ...rest }) => ({ consentId: id, ...rest })) };
      }),
    },
  };
}
