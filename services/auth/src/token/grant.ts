import type { Verdict } from '@kontoport/certificates';
import type {
  AskedAt,
  IssuedToken,
  TokenRequest,
} from '../client-authentication/client-credentials.model.ts';

/** The requests of the grants, by `grant_type`. */
type Requests = { readonly [Type in TokenRequest['grantType']]: Extract<TokenRequest, { grantType: Type }> };

/** What a grant is asked for. */
export interface Asked<Request> {
  request: Request;
  /** The accepted certificate over which the request came. */
  certificate: Verdict;
  requestId: string;
}

/**
 * A way to an access token (RFC 6749 §1.3), where the request is in order.
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED after too many wrong secrets; UNAVAILABLE, and then
 * what was shown is still good.
 */
export type Grant<Issuer, Request> = (
  issuer: Issuer,
  asked: Asked<Request>,
  at: AskedAt,
) => Promise<IssuedToken>;

/** All of them, by `grant_type` (§4.1, §5.9): one more is a row. */
export type Grants<Issuer> = { readonly [Type in keyof Requests]: Grant<Issuer, Requests[Type]> };

/** Issues what a token request asks for, by its grant. @throws ApiError as `Grant` */
export function grantToken<Issuer, Type extends keyof Requests>(
  { issuer, grants }: { issuer: Issuer; grants: Grants<Issuer> },
  asked: Asked<Requests[Type] & { grantType: Type }>,
  at: AskedAt,
): Promise<IssuedToken> {
  return grants[asked.request.grantType](issuer, asked, at);
}
