import type { ZodOpenApiObject } from 'zod-openapi';
import type { DescribedRoute } from './described-route.ts';

type Components = NonNullable<ZodOpenApiObject['components']>;

/** Header parameters of every operation. */
export function sharedParameters(): NonNullable<Components['parameters']> {
  return {
    'X-Request-Id': {
      name: 'X-Request-Id',
      in: 'header',
      description:
        'An id of the call, returned in the answer; generated if absent. Some routes use it as an idempotency key, as they say.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
      example: '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e',
    },
    'X-Language': {
      name: 'X-Language',
      in: 'header',
      description: 'The language of texts for people; English for any other.',
      schema: { type: 'string', default: 'en', examples: ['en', 'da', 'sv', 'nb'] },
    },
  };
}

const HEADERS: Readonly<Record<string, { description: string; example: string | number; integer?: true }>> = {
  'X-Request-Id': {
    description: 'The id of the call, as sent or generated.',
    example: '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e',
  },
  'Content-Language': { description: 'The language of the texts.', example: 'en' },
  'Retry-After': { description: 'Seconds after which to repeat the request.', example: 1, integer: true },
  'RateLimit-Policy': {
    description:
      'The number of requests (`q`) allowed in a number of seconds (`w`), of a client and of its organization together; the field of ' +
      'draft-ietf-httpapi-ratelimit-headers-11.',
    example: '"client";q=5000;w=10, "organization";q=10000;w=10',
  },
  RateLimit: {
    description: 'The number of requests left (`r`), and the seconds until the window resets (`t`).',
    example: '"client";r=4999;t=7, "organization";r=9998;t=3',
  },
  'WWW-Authenticate': {
    description: 'The required authentication (RFC 6750, RFC 7617).',
    example: 'Bearer realm="kontoport", error="invalid_token"',
  },
  Deprecation: { description: 'The date of the deprecation (RFC 9745).', example: '@1798761600' },
  Sunset: { description: 'When the operation ends (RFC 8594).', example: 'Fri, 01 Jan 2027 00:00:00 GMT' },
  Link: {
    description: 'A page about the deprecation.',
    example: '<https://bank.example/x>; rel="deprecation"',
  },
};

/**
 * Headers of answers that several operations have; only those that these routes use.
 * @param refused the shared answers that refuse
 */
export function sharedHeaders(
  routes: readonly DescribedRoute[],
  refused: readonly { headers?: object | undefined }[],
): NonNullable<Components['headers']> {
  const used = (name: string): boolean => {
    if (name === 'Deprecation' || name === 'Link')
      return routes.some((route) => route.deprecated !== undefined);
    if (name === 'Sunset') return routes.some((route) => route.deprecated?.sunset !== undefined);
    if (name.startsWith('RateLimit')) return routes.some(({ security }) => security.kind !== 'public');
    if (name === 'WWW-Authenticate') return refused.some(({ headers = {} }) => name in headers);
    return true;
  };
  return Object.fromEntries(
    Object.entries(HEADERS)
      .filter(([name]) => used(name))
      .map(([name, { description, example, integer }]) => [
        name,
        {
          description,
          // One answer of several under a status can do without its challenge.
          required: name !== 'WWW-Authenticate',
          schema: integer ? { type: 'integer', minimum: 0 } : { type: 'string' },
          example,
        },
      ]),
  );
}

/** The security schemes that these routes use (§5). */
export function securitySchemes(
  routes: readonly DescribedRoute[],
): NonNullable<Components['securitySchemes']> {
  const guarded = routes.filter(({ security }) => security.kind !== 'public');
  return {
    ...(guarded.length === 0
      ? {}
      : {
          certificate: {
            type: 'mutualTLS',
            description: 'The eIDAS QWAC of the TPP, with its chain, in the TLS handshake (§5.1).',
          },
        }),
    ...(guarded.some(({ security }) => security.kind === 'token')
      ? {
          oauth: {
            type: 'oauth2',
            description: 'A bearer token of the token endpoint at {auth_url} (§4.1).',
            flows: {
              clientCredentials: {
                tokenUrl: 'https://localhost:8445/oauth2/token',
                scopes: {
                  PSP_AI: 'Account information',
                  PSP_PI: 'Payment initiation and funds confirmation',
                },
              },
            },
          },
        }
      : {}),
    ...(guarded.some(({ errors }) => errors === 'oauth')
      ? {
          clientCredentials: {
            type: 'http',
            scheme: 'basic',
            description: 'clientId and clientSecret (client_secret_basic, RFC 6749 §2.3.1).',
          },
        }
      : {}),
  };
}
