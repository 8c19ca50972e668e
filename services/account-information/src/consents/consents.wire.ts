import type { Role } from '@kontoport/certificates';
import { rule } from '@kontoport/errors';
import { checkShape, uuid } from '@kontoport/http';
import type {
  Consent as ConsentMessage,
  CreateConsentRequest,
  UserAccount,
} from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import type { Account } from '../accounts/account.model.ts';
import { TEXTS } from '../texts.ts';
import { type Consent, type ConsentRequest, MAX_ACCOUNTS } from './consent.model.ts';

const ROLES = ['PSP_AI', 'PSP_PI'] as const satisfies readonly Role[];

/** Sorted, each once. */
const asSet = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].toSorted();

const createRequest = z.object({
  consentId: uuid,
  clientId: uuid,
  userId: uuid,
  accountIds: z
    .array(uuid)
    .min(1, rule(TEXTS('empty')))
    .max(MAX_ACCOUNTS, rule(TEXTS('too-many-entries', { most: MAX_ACCOUNTS })))
    .transform(asSet),
  roles: z
    .array(z.enum(ROLES, rule(TEXTS('one-of', { values: ROLES.join(', ') }))))
    .min(1, rule(TEXTS('empty')))
    .max(MAX_ACCOUNTS, rule(TEXTS('too-many-entries', { most: MAX_ACCOUNTS })))
    .transform(asSet),
  validUntil: z.date(rule(TEXTS('not-time'))),
});

/** Reads a requested consent. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readConsentRequest(request: CreateConsentRequest): ConsentRequest {
  const { consentId: id, ...rest } = checkShape(createRequest, request, 'body');
  return { id, ...rest };
}

/** Schema of the ids in the other requests. */
export const ofClient = z.object({ clientId: uuid });
export const ofUser = z.object({ userId: uuid });
export const userForClient = z.object({ clientId: uuid, userId: uuid });
export const consentOfClient = z.object({ consentId: uuid, clientId: uuid });
export const consentOfUser = z.object({ consentId: uuid, userId: uuid });

/** Reads the ids of a request. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readIds<Ids>(schema: z.ZodType<Ids>, request: object): Ids {
  return checkShape(schema, request, 'body');
}

/** A consent as the other services read it. */
export function consentToWire({ id, ...consent }: Consent): ConsentMessage {
  return { consentId: id, ...consent };
}

/** An account as its user chooses it. */
export function userAccountToWire(account: Account): UserAccount {
  const { id, name, bban, iban, currency, ownerName, supportsPayments } = account;
  return {
    accountId: id,
    name,
    bban,
    iban: iban ?? '',
    currency,
    ownerName: ownerName ?? '',
    supportsPayments,
  };
}
