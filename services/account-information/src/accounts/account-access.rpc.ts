import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import { uuid } from '@kontoport/http';
import type { Logger } from '@kontoport/lifecycle';
import { formatMoney } from '@kontoport/money';
import { type AccountAccessServiceServer, AccountAccessServiceService } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import type { Db } from '../gen/db.ts';
import { type AccountData, accountUnknown } from './account.model.ts';
import { requireAccount } from './account.repository.ts';

const question = z.object({
  clientId: uuid,
  accountId: uuid,
  consentId: z
    .literal('')
    .transform(() => undefined)
    .or(uuid),
  role: z.enum(['PSP_AI', 'PSP_PI']),
});

/** Lists the accounts that a client may use, for the services that pay from them. */
export function accountAccessRpc(deps: { logger: Logger; accountData: AccountData; db: Db }): Rpc {
  return defineRpc({
    definition: AccountAccessServiceService,
    allowedCallers: { getAccount: ['payments'] },
    implementation: {
      getAccount: unary(deps.logger, async (request) => {
        const given = question.safeParse(request);
        if (!given.success) throw accountUnknown();
        const { accountId, ...asking } = given.data;
        const caller = await deps.accountData.ensure(asking);
        const account = await requireAccount(deps.db, caller, accountId);
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
          userId: account.userId,
        };
      }),
    } satisfies AccountAccessServiceServer,
  });
}
