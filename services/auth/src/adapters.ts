import type { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import type { AdapterTable } from '@kontoport/service';
import {
  noUserAuthentication,
  simulatedUsers,
  type UserAuthentication,
} from './consents/user-authentication.ts';

/** The ports of auth that have an implementation for each environment. */
export interface Adapters {
  /** Who the bank's user at the browser is (§5.9). */
  userAuthentication: (options: { consents: ConsentsServiceClient }) => UserAuthentication;
}

/** What stands behind them. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { userAuthentication: simulatedUsers },
  // Tokens of clients need no user.
  production: { userAuthentication: noUserAuthentication },
};
