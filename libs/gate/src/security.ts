import type { Role, Verdict, Verifier } from '@kontoport/certificates';
import { certificateOf, type ClientDirectory, type DirectoryClient } from '@kontoport/client-directory';
import { ApiError } from '@kontoport/errors';
import type { AuthenticationRequest, Authenticator, Caller } from '@kontoport/http';
import type { AccessToken, VerifyAccessToken } from './access-token.ts';
import type { ReadPeerChain } from './edge-identity.ts';
import type { RateLimits } from './rate-limits.ts';
import { GATE_TEXTS } from './texts.ts';

/** The authentication that a route requires before its handler runs. */
export type Security = PublicSecurity | CertificateSecurity | TokenSecurity;

/** No authentication, and no client certificate. */
export interface PublicSecurity {
  kind: 'public';
}

/** A valid QWAC. */
export interface CertificateSecurity {
  kind: 'certificate';
  /** Status where the contract asks for 403 instead of 401 on a refused certificate (§7: POST /tpp). */
  certificateRefusal?: 403;
}

/** A valid QWAC and an access token of the client that owns it. */
export interface TokenSecurity {
  kind: 'token';
  /** The scope that the token must carry; absent: any token of the client. */
  scope?: Role;
  /** Status where the contract asks for 403 instead of 401 on a refused token (§7: the V2 list). */
  tokenRefusal?: 403;
  /** Accepts the token of a deleted client, so that the client can repeat its own deletion. */
  deletedClient?: 'allowed';
}

/** The authenticated caller, for the handler. */
export type Principal<S extends Security> = S extends TokenSecurity
  ? { certificate: Verdict; token: AccessToken; client: DirectoryClient }
  : S extends CertificateSecurity
    ? { certificate: Verdict }
    : Record<never, never>;

/** Retry-After for an unknown revocation status: a lookup without a result is not repeated sooner. */
const REVOCATION_RETRY_SECONDS = 60;
/** Retry-After for a client that is not replicated yet, seconds. */
const UNKNOWN_CLIENT_RETRY_SECONDS = 1;

/** Binds a token to any certificate of its client, or to the one over which it was issued (RFC 8705). */
export type TokenBinding = 'client' | 'exact';

/** The dependencies of authentication. Only a revocation look-up leaves the process. */
export interface GateDeps {
  readPeerChain: ReadPeerChain;
  verifier: Verifier;
  verifyAccessToken: VerifyAccessToken;
  tokenBinding: TokenBinding;
  directory: ClientDirectory;
  limits: RateLimits;
}

/** The authenticator, with its dependencies. */
export interface Gate extends GateDeps, Authenticator<Security> {}

/**
 * Authenticates the caller as `security` requires, in the order edge → certificate → token → client → scope. Counts the
 * request for the organization of the certificate and the client of the token, and refuses it beyond their limits.
 */
export async function authenticate(
  deps: GateDeps,
  security: Security,
  incoming: AuthenticationRequest,
): Promise<Caller> {
  if (security.kind === 'public') return { principal: {} satisfies Principal<PublicSecurity> };
  if (security.kind === 'certificate')
    return withRefusal(security.certificateRefusal, async () => {
      const certificate = await requireCertificate(deps, incoming);
      deps.limits.countOrganization(certificate.organization.identifier, incoming);
      return { principal: { certificate } satisfies Principal<CertificateSecurity> };
    });
  const certificate = await requireCertificate(deps, incoming);
  // Counted before the token costs a signature.
  const organization = deps.limits.countOrganization(certificate.organization.identifier, incoming);
  return withRefusal(security.tokenRefusal, async () => {
    const token = await deps.verifyAccessToken(incoming.request.headers.authorization, incoming.now);
    return authenticateOwner({ deps, security, certificate, incoming, organization }, token);
  });
}

/** Replaces 401 by the status that the route's clause demands. */
async function withRefusal(status: 403 | undefined, proof: () => Promise<Caller>): Promise<Caller> {
  try {
    return await proof();
  } catch (error) {
    if (status && error instanceof ApiError && error.status === 401) throw error.withStatus(status);
    throw error;
  }
}

/** Requires that the client of the token owns the certificate, is within its rate, and has the scope. */
function authenticateOwner(
  options: {
    deps: GateDeps;
    security: TokenSecurity;
    certificate: Verdict;
    incoming: AuthenticationRequest;
    organization: ReturnType<RateLimits['countOrganization']>;
  },
  token: AccessToken,
): Caller {
  const { deps, security, certificate, incoming, organization } = options;
  const client = requireClient(deps, security, token, certificate);
  const principal = { certificate, token, client } satisfies Principal<TokenSecurity>;
  const { clientId } = client;
  incoming.identity.clientId = clientId;
  deps.limits.countClient(clientId, { ...incoming, organization });
  requireScope(security, principal);
  return { principal };
}

/** The verdict on the forwarded certificate. @throws ApiError unless it is accepted. */
async function requireCertificate(
  deps: GateDeps,
  { request, now, identity }: AuthenticationRequest,
): Promise<Verdict> {
  const verdict = await deps.verifier.decide(deps.readPeerChain(request).certificates, now);
  if (verdict.accepted) {
    identity.organization = verdict.organization.identifier;
    return verdict;
  }
  const { errorCode, text } = verdict.failure ?? {
    errorCode: 'CERTIFICATE_INVALID' as const,
    text: GATE_TEXTS('certificate-refused'),
  };
  throw new ApiError(
    errorCode,
    text,
    errorCode === 'UNAVAILABLE' ? { retryAfterSeconds: REVOCATION_RETRY_SECONDS } : {},
  );
}

/**
 * The token's client, if it owns the presented certificate (§5.5). A token over a foreign certificate is refused like an
 * invalid one, so 404 remains for the id of another client.
 */
function requireClient(
  { directory, tokenBinding }: GateDeps,
  security: TokenSecurity,
  token: AccessToken,
  certificate: Verdict,
): DirectoryClient {
  const client = directory.find(token.clientId);
  // auth issues tokens to registered clients only, and tombstones outlive tokens (§4.2): so the client is new.
  if (!client)
    throw new ApiError('UNAVAILABLE', GATE_TEXTS('client-new'), {
      retryAfterSeconds: UNKNOWN_CLIENT_RETRY_SECONDS,
    });
  if (client.deleted && security.deletedClient !== 'allowed')
    throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-invalid'));
  // A revoked token gets the same answer as an invalid one (§4.1). Tokens of one authorization share the beginning of `jti`.
  if (client.revokedTokens.some(({ id }) => id === token.tokenId || token.tokenId.startsWith(`${id}_`)))
    throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-invalid'));
  const { thumbprint } = certificate;
  const bound = token.certificateThumbprint;
  const foreign = [thumbprint, bound].some((each) => certificateOf(client, each) === undefined);
  if (foreign || (tokenBinding === 'exact' && bound !== thumbprint))
    throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-of-another'));
  return client;
}

function requireScope(
  { scope }: TokenSecurity,
  { token, client, certificate }: Principal<TokenSecurity>,
): void {
  if (scope === undefined) return;
  if (!token.scopes.includes(scope) || !client.roles.includes(scope))
    throw new ApiError('SCOPE_INSUFFICIENT', GATE_TEXTS('scope-missing', { scope }), { scope });
  if (!certificate.roles.includes(scope))
    throw new ApiError('SCOPE_INSUFFICIENT', GATE_TEXTS('role-missing', { scope }), { scope });
}
