import { type Route, route } from '@kontoport/gate';
import { z } from 'zod';

/** Authorization server metadata (RFC 8414). */
const metadataAnswer = z
  .object({
    issuer: z.url(),
    token_endpoint: z.url(),
    jwks_uri: z.url(),
    service_documentation: z.url(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint: z.url(),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    tls_client_certificate_bound_access_tokens: z.boolean(),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

/** What exists, and nothing else. */
function metadataOf(issuer: string): z.input<typeof metadataAnswer> {
  const at = (path: string): string => issuer.replace(/\/$/, '') + path;
  return {
    issuer,
    token_endpoint: at('/oauth2/token'),
    jwks_uri: at('/.well-known/jwks.json'),
    service_documentation: at('/'),
    scopes_supported: ['PSP_AI', 'PSP_PI'],
    // Required by RFC 8414 §2; there is no authorization endpoint.
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    revocation_endpoint: at('/oauth2/revoke'),
    revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** Authorization server metadata (§4.1). */
export function metadataRoutes({ issuer }: { issuer: string }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      clause: '§4.1',
      summary: 'Read what the authorization server can do',
      security: { kind: 'public' },
      answers: {
        200: {
          description: 'The metadata of RFC 8414.',
          json: metadataAnswer,
          example: metadataOf('https://auth.bank.example'),
        },
      },
      handler: async () => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=300' },
        json: metadataOf(issuer),
      }),
    }),
  ];
}
