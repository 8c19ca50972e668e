import type { AdapterTable } from '@kontoport/service';
import { createFedAccountData } from './account-data/fed-account-data.ts';
import { createSandboxAccountData } from './account-data/sandbox/sandbox-account-data.ts';
import { createSandboxUsers } from './account-data/sandbox/sandbox-users.ts';
import type { AccountData } from './accounts/account.model.ts';
import { createUnlistedUsers, type Users } from './consents/user.model.ts';
import type { Db } from './gen/db.ts';
import { createSimulation, type Simulation } from './sandbox/simulation.ts';

/** The organizationIdentifier of a client. @throws ApiError UNAVAILABLE when the client is not known yet */
type OrganizationOf = (clientId: string) => string;

/** The ports of account-information that have an implementation for each environment. */
export interface Adapters {
  /** Creates the source of a client's accounts. */
  accountData: (options: {
    db: Db;
    /** Maximum number of concurrent first uses. */
    firstUsesInFlight: number;
    organizationOf: OrganizationOf;
    isDeleted: (clientId: string) => boolean;
  }) => AccountData;
  /** Creates the source of the users who can give consents. */
  users: (options: { organizationOf: OrganizationOf }) => Users;
  /** Loops and routes of simulated accounts; absent where the accounts are real. */
  simulation: (options: Parameters<typeof createSimulation>[0]) => Simulation | undefined;
}

/** Their implementations. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: {
    accountData: createSandboxAccountData,
    users: createSandboxUsers,
    simulation: createSimulation,
  },
  production: {
    accountData: createFedAccountData,
    users: createUnlistedUsers,
    simulation: () => undefined,
  },
};
