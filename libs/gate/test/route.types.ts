import { route } from '@kontoport/gate';
import { z } from 'zod';

// Checked by tsc alone: each line below an expected error must not compile.
const ok = { status: 200, json: {} } as const;

// @ts-expect-error a route without security
route({ method: 'GET', path: '/open', handler: async () => ok });

// @ts-expect-error an unknown kind of security
route({ method: 'GET', path: '/odd', security: { kind: 'trust-me' }, handler: async () => ok });

// @ts-expect-error a scope that does not exist
route({ method: 'GET', path: '/odd', security: { kind: 'token', scope: 'ADMIN' }, handler: async () => ok });

route({
  method: 'GET',
  path: '/open',
  security: { kind: 'public' },
  // @ts-expect-error a public route has proven nothing about a client
  handler: async ({ proven }) => ({ status: 200, json: proven.client }),
});

route({
  method: 'GET',
  path: '/certificate',
  security: { kind: 'certificate' },
  // @ts-expect-error a certificate is no token
  handler: async ({ proven }) => ({ status: 200, json: proven.token }),
});

route({
  method: 'POST',
  path: '/typed',
  security: { kind: 'token', scope: 'PSP_AI' },
  body: { json: z.strictObject({ amount: z.string() }) },
  handler: async ({ body, proven }) => {
    // @ts-expect-error a field that the schema does not have
    const missing: unknown = body.amout;
    return { status: 200, json: { missing, amount: body.amount.length, scopes: proven.token.scopes } };
  },
});
