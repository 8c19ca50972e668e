import { ApiError } from '@kontoport/errors';
import type { Role } from '@kontoport/certificates';

/**
 * The scopes of a token: the roles that both the client and the presented certificate hold, or the requested ones
 * of them.
 * @throws ApiError invalid_scope when more is requested than can be granted, or nothing can be.
 */
export function grantScopes(options: {
  requested: readonly string[] | undefined;
  clientRoles: readonly string[];
  certificateRoles: readonly Role[];
}): Role[] {
  const { requested, clientRoles, certificateRoles } = options;
  const held = certificateRoles.filter((role) => clientRoles.includes(role));
  if (held.length === 0)
    throw invalidScope('The presented certificate holds none of the roles of the client.');
  if (requested === undefined) return held;
  if (!requested.every((scope) => held.some((role) => role === scope)))
    throw invalidScope(`The scope must be among the roles of client and certificate: ${held.join(' ')}.`);
  return held.filter((role) => requested.includes(role));
}

function invalidScope(message: string): ApiError {
  return new ApiError('FORMAT_ERROR', message, { oauthError: 'invalid_scope' });
}
