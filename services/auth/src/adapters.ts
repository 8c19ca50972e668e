import type { ConnectBank } from '@kontoport/grpc';
import type { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { UserLoginServiceClient } from '@kontoport/proto/bank/v1';
import type { AdapterTable } from '@kontoport/service';
import { bankUsers, simulatedUsers, type UserAuthentication } from './user-session/user-authentication.ts';

/** The ports of auth that have an implementation for each environment. */
export interface Adapters {
  /** Authenticates the user at the browser (§5.9). */
  userAuthentication: (options: {
    consents: ConsentsServiceClient;
    connect: ConnectBank;
  }) => UserAuthentication;
}

/** The implementations. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { userAuthentication: simulatedUsers },
  production: { userAuthentication: ({ connect }) => bankUsers({ login: connect(UserLoginServiceClient) }) },
};
