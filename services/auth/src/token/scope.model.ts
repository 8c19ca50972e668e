import type { Role } from '@kontoport/certificates';
import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/**
 * Grants scopes: the roles that both the client and its certificate hold, or the requested ones of them.
 * @throws ApiError invalid_scope when more is requested than can be granted, or nothing can be granted
 */
export function grantScopes(options: {
  requested: readonly string[] | undefined;
  clientRoles: readonly string[];
  certificateRoles: readonly Role[];
}): Role[] {
  const { requested, clientRoles, certificateRoles } = options;
  const held = certificateRoles.filter((role) => clientRoles.includes(role));
  if (held.length === 0) throw invalidScope(TEXTS('no-role-held'));
  if (requested === undefined) return held;
  if (!requested.every((scope) => held.some((role) => role === scope)))
    throw invalidScope(TEXTS('scope-not-held', { roles: held.join(' ') }));
  return held.filter((role) => requested.includes(role));
}

function invalidScope(text: Text): ApiError {
  return new ApiError('FORMAT_ERROR', text, { oauthError: 'invalid_scope' });
}
