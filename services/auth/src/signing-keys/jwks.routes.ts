import { type Route, route } from '@kontoport/gate';
import type { KeyRing } from './open-key-ring.ts';

/** The public keys for whoever verifies access tokens (RFC 7517). */
export function jwksRoutes({ keyRing }: { keyRing: KeyRing }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      security: { kind: 'public' },
      handler: async ({ now }) => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=300' },
        json: { keys: keyRing.published(now) },
      }),
    }),
  ];
}
