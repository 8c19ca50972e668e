import { route } from '@kontoport/gate';
import { z } from 'zod';

// Checked by tsc alone: each line below an expected error must not compile.
const ok = { status: 200, json: {} } as const;
const answers = { 200: { description: 'OK', json: z.unknown(), example: {} } } as const;
const words = { clause: '§5', summary: 'A test', answers } as const;
const open = { method: 'GET', path: '/open', security: { kind: 'public' } } as const;
const handler = async () => ok;

route({ ...words, ...open, handler });

// @ts-expect-error a route without security
route({ ...words, method: 'GET', path: '/open', handler });

// @ts-expect-error an unknown kind of security
route({ ...words, method: 'GET', path: '/odd', security: { kind: 'trust-me' }, handler });

// @ts-expect-error a scope that does not exist
route({ ...words, method: 'GET', path: '/odd', security: { kind: 'token', scope: 'ADMIN' }, handler });

// @ts-expect-error a route without clause
route({ summary: 'A test', answers, ...open, handler });

// @ts-expect-error a route without summary
route({ clause: '§5', answers, ...open, handler });

// @ts-expect-error a route without answers
route({ clause: '§5', summary: 'A test', ...open, handler });

route({
  ...words,
  ...open,
  // @ts-expect-error a public route knows no client
  handler: async ({ principal }) => ({ status: 200, json: principal.client }),
});

route({
  ...words,
  ...open,
  path: '/open/:id',
  // @ts-expect-error a parameter without schema
  handler: async ({ params }) => ({ status: 200, json: params.id }),
});

route({
  ...words,
  method: 'GET',
  path: '/certificate',
  security: { kind: 'certificate' },
  // @ts-expect-error a certificate is no token
  handler: async ({ principal }) => ({ status: 200, json: principal.token }),
});

route({
  ...words,
  method: 'POST',
  path: '/typed',
  security: { kind: 'token', scope: 'PSP_AI' },
  body: { json: z.strictObject({ amount: z.string() }) },
  handler: async ({ body, principal }) => {
    // @ts-expect-error a field that the schema does not have
    const missing: unknown = body.amout;
    return { status: 200, json: { missing, amount: body.amount.length, scopes: principal.token.scopes } };
  },
});
