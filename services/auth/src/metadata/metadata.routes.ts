import { type Route, route } from '@kontoport/gate';
import { z } from 'zod';
import { type AuthProfile, PROFILES } from '../domain/profile.model.ts';

/** Authorization server metadata (RFC 8414; RFC 9126 §5, RFC 9207 §3, RFC 9396 §10). */
const metadataAnswer = z
  .object({
    issuer: z.url().meta({ description: 'The issuer of the tokens (`iss`).' }),
    authorization_endpoint: z.url().meta({ description: "The address for the user's browser (§5.9)." }),
    pushed_authorization_request_endpoint: z
      .url()
      .meta({ description: 'The address of pushed requests (RFC 9126).' }),
    require_pushed_authorization_requests: z
      .boolean()
      .meta({ description: 'Whether every request must be pushed.' }),
    token_endpoint: z.url().meta({ description: 'The address of tokens.' }),
    jwks_uri: z.url().meta({ description: 'The address of the keys that verify tokens.' }),
    service_documentation: z.url().meta({ description: 'The address of the reference.' }),
    scopes_supported: z.array(z.string()).meta({ description: 'The roles.' }),
    response_types_supported: z.array(z.string()).meta({ description: 'The supported response types.' }),
    response_modes_supported: z.array(z.string()).meta({ description: 'The supported response modes.' }),
    grant_types_supported: z.array(z.string()).meta({ description: 'The supported grants.' }),
    code_challenge_methods_supported: z
      .array(z.string())
      .meta({ description: 'The supported methods of PKCE (RFC 7636).' }),
    authorization_response_iss_parameter_supported: z
      .boolean()
      .meta({ description: 'Whether the redirect has `iss` (RFC 9207).' }),
    authorization_details_types_supported: z
      .array(z.string())
      .meta({ description: 'The supported types of `authorization_details` (RFC 9396).' }),
    ui_locales_supported: z.array(z.string()).meta({ description: 'The languages of the pages for users.' }),
    token_endpoint_auth_methods_supported: z
      .array(z.string())
      .meta({ description: 'The ways in which a client authenticates for tokens.' }),
    revocation_endpoint: z.url().meta({ description: 'The address of revocations (RFC 7009).' }),
    revocation_endpoint_auth_methods_supported: z
      .array(z.string())
      .meta({ description: 'The ways in which a client authenticates for revocations.' }),
    tls_client_certificate_bound_access_tokens: z
      .boolean()
      .meta({ description: 'Whether tokens are bound to certificates (RFC 8705).' }),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

/** Returns the metadata of a profile. */
function metadataOf(options: {
  issuer: string;
  userUrl: string;
  profile: AuthProfile;
}): z.input<typeof metadataAnswer> {
  const { issuer, userUrl, profile } = options;
  const { pushRequired, certificateAlone } = PROFILES[profile];
  const at = (path: string): string => issuer.replace(/\/$/, '') + path;
  const methods = ['client_secret_basic', ...(certificateAlone ? ['tls_client_auth'] : [])];
  return {
    issuer,
    authorization_endpoint: `${userUrl}/oauth2/authorize`,
    pushed_authorization_request_endpoint: at('/oauth2/par'),
    require_pushed_authorization_requests: pushRequired,
    token_endpoint: at('/oauth2/token'),
    jwks_uri: at('/.well-known/jwks.json'),
    service_documentation: at('/documentation'),
    scopes_supported: ['PSP_AI', 'PSP_PI'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    authorization_details_types_supported: ['accounts'],
    ui_locales_supported: ['en', 'da', 'sv', 'nb'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: at('/oauth2/revoke'),
    revocation_endpoint_auth_methods_supported: methods,
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** Authorization server metadata (§4.1). */
export function metadataRoutes(deps: { issuer: string; userUrl: string; profile: AuthProfile }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      clause: '§4.1',
      summary: 'Read the metadata of the authorization server',
      security: { kind: 'public' },
      answers: {
        200: {
          description: 'The metadata of RFC 8414.',
          json: metadataAnswer,
          example: metadataOf({
            issuer: 'https://auth.bank.example',
            userUrl: 'https://user.bank.example',
            profile: 'plain',
          }),
        },
      },
      handler: async () => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=300' },
        json: metadataOf(deps),
      }),
    }),
  ];
}
