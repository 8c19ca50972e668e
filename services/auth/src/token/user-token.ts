import { randomBytes } from 'node:crypto';
import type { Role, Verdict } from '@kontoport/certificates';
import type { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { userAccounts } from '../accounts/user-accounts.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { opaqueToken } from '../domain/opaque-token.model.ts';
import type { AuthProfile } from '../domain/profile.model.ts';
import type { Db } from '../gen/db.ts';
import type { Signer } from '../signing-keys/signing-key.model.ts';
import type { TokenIssuer } from './issue-token.ts';
import { lifetimeOf, signToken } from './sign-token.ts';
import { accessTokenId, subjectOf } from './token-family.model.ts';
import type { IssuedToken, OpenedAccounts } from './token-request.model.ts';

/** Dependencies for issuing tokens under a user's consent. */
export interface UserTokenIssuer extends TokenIssuer {
  db: Db;
  authorizationKeys: AuthorizationKeys;
  consents: ConsentsServiceClient;
  profile: AuthProfile;
}

/** The consent of a token. */
export interface TokenConsent {
  consentId: string;
  clientId: string;
  userId: string;
  accountIds: readonly string[];
  validUntil: Date;
}

/** Everything about a token under a consent that is decided before a code or refresh token is used. */
interface UserTokenPlan {
  key: Signer;
  scopes: readonly Role[];
  certificate: Verdict;
  requestId: string;
  now: Date;
  consent: TokenConsent;
  opened: OpenedAccounts;
  /** The claims of the consent. */
  user: { consentId: string; validUntil: Date; tokenId: string };
  /** The end of the access token. */
  accessUntil: Date;
}

/**
 * Prepares a token. Calls every dependency that can be unavailable before any state changes.
 * @param options.familyId the authorization's id
 * @throws ApiError UNAVAILABLE
 */
export async function planUserToken(
  issuer: UserTokenIssuer,
  options: {
    familyId: string;
    consent: TokenConsent;
    scopes: readonly Role[];
    certificate: Verdict;
    requestId: string;
    now: Date;
    signal: AbortSignal;
  },
): Promise<UserTokenPlan> {
  const { familyId, consent, scopes, certificate, requestId, now, signal } = options;
  const key = issuer.keyRing.signer(now);
  const opened = await openedAccounts(issuer, { consent, signal });
  const { consentId, validUntil } = consent;
  const tokenId = accessTokenId(familyId, randomBytes(16).toString('base64url'));
  const user = { consentId, validUntil, tokenId };
  const { expiresAt } = lifetimeOf(issuer, { certificate, user, now });
  const accessUntil = new Date(expiresAt * 1_000);
  return { key, scopes, certificate, requestId, now, consent, opened, user, accessUntil };
}

/** Issues a planned access token, with the family's refresh token of `generation`. */
export async function issueUserToken(
  issuer: UserTokenIssuer,
  plan: UserTokenPlan,
  { familyId, generation }: { familyId: string; generation: number },
): Promise<IssuedToken> {
  const { opaqueTokens, subjects } = issuer.authorizationKeys;
  const { consent, opened } = plan;
  const { clientId } = consent;
  const issued = await signToken(issuer, { ...plan, clientId, subject: subjectOf(subjects, consent) });
  const refreshToken = opaqueToken(opaqueTokens, {
    kind: 'refresh-token',
    authorizationId: familyId,
    generation,
  });
  return { ...issued, user: { refreshToken, opened } };
}

async function openedAccounts(
  issuer: Pick<UserTokenIssuer, 'consents'>,
  { consent, signal }: { consent: TokenConsent; signal: AbortSignal },
): Promise<OpenedAccounts> {
  const { consentId, clientId, userId, accountIds, validUntil } = consent;
  const accounts = await userAccounts(issuer, { clientId, userId, signal });
  return {
    consentId,
    validUntil,
    accounts: accounts.filter(({ accountId }) => accountIds.includes(accountId)),
  };
}
