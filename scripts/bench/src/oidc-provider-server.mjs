// oidc-provider with what the same token needs: client credentials over a certificate that an edge proved, and a
// certificate-bound JWT under ES256; clients and keys in memory, secrets compared as they are.
import { generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const { CLIENT_ID = '', CLIENT_SECRET = '', CERTIFICATE = '', PORT } = process.env;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const resource = 'https://bank.test';

const client = {
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  id_token_signed_response_alg: 'ES256',
  token_endpoint_auth_method: 'client_secret_basic',
  tls_client_certificate_bound_access_tokens: true,
};

const provider = new Provider('https://auth.bank.test', {
  clients: [client],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'k' }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    mTLS: {
      enabled: true,
      certificateBoundAccessTokens: true,
      getCertificate: () => CERTIFICATE,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: 'PSP_AI PSP_PI',
        audience: 'kontoport',
        accessTokenTTL: 3_600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
provider.proxy = true;
provider.listen(Number(PORT), '127.0.0.1');
