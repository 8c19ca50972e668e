import { type Rpc, unary } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import {
  AccountAccessServiceService,
  type GetAccountRequest,
  type GetAccountResponse,
} from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import { z } from 'zod';
import type { PrismaClient } from '../gen/prisma/client.ts';
import { findAccount } from './account.repository.ts';
import { unknownAccount } from './unknown-account.ts';

const ids = z.object({ clientId: z.guid(), accountId: z.guid() });

/** Which accounts a client may use, for the services that pay from them. */
export function accountAccessRpc(deps: { logger: Logger; prisma: PrismaClient }): Rpc {
  return {
    definition: AccountAccessServiceService,
    implementation: {
      getAccount: unary<GetAccountRequest, GetAccountResponse>(deps.logger, async (request) => {
        const given = ids.safeParse(request);
        const account = given.success
          ? await findAccount(deps.prisma, { clientId: given.data.clientId }, given.data.accountId)
          : undefined;
        if (account === undefined) throw unknownAccount();
        const { currency } = account;
        return {
          accountId: account.id,
          bban: account.bban,
          iban: account.iban ?? '',
          currency,
          available: { value: formatMoney({ minorUnits: account.available, currency }), currency },
          supportsPayments: account.supportsPayments,
          supportsTransfers: account.supportsTransfers,
          ownerName: account.ownerName ?? '',
        };
      }),
    },
  };
}
