import { uuidBytes, uuidV5 } from '../../uuid-v5.model.ts';

/** Namespace of the sandbox's ids (RFC 9562 §5.5); docs/sandbox.md prints it. */
export const SANDBOX_NAMESPACE = '6c7e0f0e-5d4b-4d6f-9a1c-3b2e8f70a915';

const namespace = uuidBytes(SANDBOX_NAMESPACE);

/**
 * Ids of the simulated bank of an organization: UUIDs version 5 of a name that begins with the organizationIdentifier.
 * They are the same in every process and at any time, and no two organizations share one.
 */
export const SANDBOX_IDS = {
  user: (organization: string, user: string): string => uuidV5(namespace, `${organization}/user/${user}`),
  account: (organization: string, account: string): string =>
    uuidV5(namespace, `${organization}/account/${account}`),
  transaction: (organization: string, account: string, transaction: string): string =>
    uuidV5(namespace, `${organization}/account/${account}/transaction/${transaction}`),
  attachment: (organization: string, attachment: string): string =>
    uuidV5(namespace, `${organization}/attachment/${attachment}`),
  /** A consent that the sandbox grants to a client by itself. */
  consent: (clientId: string, user: string): string => uuidV5(namespace, `${clientId}/consent/${user}`),
};
