import { type Route, route } from '@kontoport/gate';
import { z } from 'zod';
import type { PublicJwk } from './signing-key.model.ts';

const jwksAnswer = z
  .object({
    keys: z
      .array(
        z.object({
          kty: z.literal('EC').meta({ description: 'The type of the key.' }),
          crv: z.literal('P-256').meta({ description: 'The curve.' }),
          x: z.string().meta({ description: 'The x coordinate, base64url.' }),
          y: z.string().meta({ description: 'The y coordinate, base64url.' }),
          kid: z.string().meta({ description: 'Identifies the key; tokens name it in their header.' }),
          alg: z.literal('ES256').meta({ description: 'The algorithm of the signatures.' }),
          use: z.literal('sig').meta({ description: 'For signatures.' }),
        }),
      )
      .meta({ description: 'The keys in use.' }),
  })
  .meta({ id: 'Jwks' });

const jwksExample: z.input<typeof jwksAnswer> = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      kid: '5Kq0nq8Vv0kq3mQzZ1mJ4g',
      alg: 'ES256',
      use: 'sig',
    },
  ],
};

/** The public keys that verify access tokens (§4.1, RFC 7517). */
export function jwksRoutes({ keyRing }: { keyRing: { published(now: Date): PublicJwk[] } }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      clause: '§4.1',
      summary: 'Read the keys that verify access tokens',
      security: { kind: 'public' },
      answers: {
        200: { description: 'The keys in use (RFC 7517).', json: jwksAnswer, example: jwksExample },
      },
      handler: async ({ now }) => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=300' },
        json: { keys: keyRing.published(now) } satisfies z.input<typeof jwksAnswer>,
      }),
    }),
  ];
}
