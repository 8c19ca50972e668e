import type { Relay } from '@kontoport/events';
import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import { type ConsentsServiceServer, ConsentsServiceService } from '@kontoport/proto/accounts/v1';
import { type AccountData, accountUnknown } from '../accounts/account.model.ts';
import { findAccountsOfUser } from '../accounts/account.repository.ts';
import type { Db } from '../gen/db.ts';
import { consentUnknown, retainedSince } from './consent.model.ts';
import { findConsentOfClient, findConsentsOfUser, findLiveConsents } from './consent.repository.ts';
import {
  consentOfClient,
  consentOfUser,
  consentToWire,
  ofClient,
  ofUser,
  readConsentRequest,
  readIds,
  userAccountToWire,
  userForClient,
} from './consents.wire.ts';
import { createConsent } from './create-consent.ts';
import { revokeConsent } from './revoke-consent.ts';
import type { Users } from './user.model.ts';

/** Serves the consents of the bank's users. */
export function consentsRpc(deps: {
  logger: Logger;
  accountData: AccountData;
  users: Users;
  db: Db;
  relay: Relay;
}): Rpc {
  const { logger, accountData, users, db } = deps;
  return defineRpc({
    definition: ConsentsServiceService,
    allowedCallers: {
      // No service calls it.
      listConsents: [],
      listUsers: ['auth'],
      listUserAccounts: ['auth'],
      createConsent: ['auth'],
      getConsent: ['auth'],
      revokeConsent: ['auth'],
      listConsentsOfUser: ['auth'],
    },
    implementation: {
      listConsents: unary(logger, async (request) => {
        const caller = await accountData.ensure(readIds(ofClient, request));
        return { consents: (await findLiveConsents(db, caller)).map(consentToWire) };
      }),
      listUsers: unary(logger, async (request) => {
        const offered = users.offeredTo(readIds(ofClient, request).clientId);
        return { users: offered.map(({ id, ...user }) => ({ userId: id, ...user })) };
      }),
      listUserAccounts: unary(logger, async (request) => {
        const { clientId, userId } = readIds(userForClient, request);
        if (!users.mayOpenTo(clientId, userId)) throw accountUnknown();
        await accountData.ensure({ clientId });
        return { accounts: (await findAccountsOfUser(db, userId)).map(userAccountToWire) };
      }),
      createConsent: unary(logger, async (request) => {
        const asked = readConsentRequest(request);
        if (!users.mayOpenTo(asked.clientId, asked.userId)) throw accountUnknown();
        await accountData.ensure({ clientId: asked.clientId });
        return { consent: consentToWire(await createConsent(deps, { asked, now: new Date() })) };
      }),
      getConsent: unary(logger, async (request) => {
        const { consentId, clientId } = readIds(consentOfClient, request);
        const consent = await findConsentOfClient(db, await accountData.ensure({ clientId }), consentId);
        if (consent === undefined) throw consentUnknown();
        return { consent: consentToWire(consent) };
      }),
      revokeConsent: unary(logger, async (request) => {
        const revocation = { ...readIds(consentOfUser, request), now: new Date() };
        return { consent: consentToWire(await revokeConsent(deps, revocation)) };
      }),
      listConsentsOfUser: unary(logger, async (request) => {
        const { userId } = readIds(ofUser, request);
        const consents = await findConsentsOfUser(db, { userId, endedSince: retainedSince(new Date()) });
        return { consents: consents.map(consentToWire) };
      }),
    } satisfies ConsentsServiceServer,
  });
}
