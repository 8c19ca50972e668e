import { ApiError } from '@kontoport/errors';
import { type Rpc, unary } from '@kontoport/grpc';
import { uuid } from '@kontoport/http';
import {
  ConsentsServiceService,
  type ListConsentsRequest,
  type ListConsentsResponse,
} from '@kontoport/proto/accounts/v1';
import type { Logger } from '@kontoport/runtime';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import type { AccountData } from './caller.model.ts';
import { findLiveConsents } from './consent.repository.ts';

/** The consents of the bank's users. */
export function consentsRpc(deps: { logger: Logger; accountData: AccountData; db: Db }): Rpc {
  const { logger, accountData, db } = deps;
  return {
    definition: ConsentsServiceService,
    implementation: {
      listConsents: unary<ListConsentsRequest, ListConsentsResponse>(logger, async ({ clientId }) => {
        const given = uuid.safeParse(clientId);
        if (!given.success) throw new ApiError('FORMAT_ERROR', TEXTS('client-id-invalid'));
        const caller = await accountData.ensure({ clientId: given.data });
        const consents = await findLiveConsents(db, caller);
        return { consents: consents.map(({ id, ...rest }) => ({ consentId: id, ...rest })) };
      }),
    },
  };
}
