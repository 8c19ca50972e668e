import { type Route, route } from '@kontoport/gate';

/** Authorization server metadata (RFC 8414): what exists, and nothing else. */
export function metadataRoutes({ issuer }: { issuer: string }): Route[] {
  const at = (path: string): string => issuer.replace(/\/$/, '') + path;
  const metadata = {
    issuer,
    token_endpoint: at('/oauth2/token'),
    jwks_uri: at('/.well-known/jwks.json'),
    scopes_supported: ['PSP_AI', 'PSP_PI'],
    // Required by RFC 8414 §2; there is no authorization endpoint.
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    tls_client_certificate_bound_access_tokens: true,
  };
  return [
    route({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      security: { kind: 'public' },
      handler: async () => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=300' },
        json: metadata,
      }),
    }),
  ];
}
