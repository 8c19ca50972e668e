import { uuid } from '@kontoport/http';
import { html } from '@kontoport/pages';
import { z } from 'zod';
import { route } from './served.ts';

// Checked by tsc alone: each line below an expected error must not compile.
const security = { kind: 'public' } as const;
const at = { method: 'GET', path: '/things/:thingId', security } as const;
const ok = { status: 200, json: {} } as const;

route({
  ...at,
  params: z.object({ thingId: uuid }),
  handler: async ({ params }) => {
    // @ts-expect-error a parameter that the path does not have
    const missing: unknown = params.thingID;
    return { status: 200, json: { missing, length: params.thingId.length } };
  },
});

route({
  ...at,
  params: z.object({ thingId: z.string().transform(Number) }),
  resource: async ({ params: { thingId } }) => ({ next: thingId + 1 }),
  handler: async ({ resource }) => {
    // @ts-expect-error what the resource step did not find
    const missing: unknown = resource.previous;
    return { status: 200, json: { missing, next: resource.next.toFixed() } };
  },
});

route({
  ...at,
  resource: async (request) =>
    // @ts-expect-error the body is read after the resource
    request.body as unknown,
  handler: async () => ok,
});

route({
  ...at,
  body: { json: z.strictObject({ amount: z.number() }), optional: true },
  handler: async ({ body }) => ({
    status: 200,
    // @ts-expect-error a body that may be absent
    json: body.amount,
  }),
});

route({
  ...at,
  body: { form: z.strictObject({ name: z.string() }) },
  handler: async ({ body, query }) => {
    // @ts-expect-error a query that the route does not take
    const limit: unknown = query.limit;
    return { status: 200, json: { limit, name: body.name.length } };
  },
});

// @ts-expect-error a body that is JSON and form
route({ ...at, body: { json: z.unknown(), form: z.unknown() }, handler: async () => ok });

route({
  ...at,
  answers: { 200: { description: 'The thing.', json: z.unknown(), example: {} } },
  // @ts-expect-error a status that the answers do not have
  handler: async () => ({ status: 201, json: {} }),
});

// @ts-expect-error an answer in JSON without example
route({ ...at, answers: { 200: { description: 'x', json: z.unknown() } }, handler: async () => ok });

route({
  ...at,
  // @ts-expect-error two kinds of content
  handler: async () => ({ status: 200, json: {}, page: { language: 'en', title: '', body: html`` } }),
});

// @ts-expect-error bytes without media type
route({ ...at, handler: async () => ({ status: 200, bytes: Buffer.alloc(1) }) });

// @ts-expect-error a language that we do not speak
route({ ...at, handler: async () => ({ status: 200, page: { language: 'de', title: '', body: html`` } }) });

// @ts-expect-error a refusal that the table does not have
route({ ...at, refusals: ['OUT_OF_LUCK'], handler: async () => ok });

// @ts-expect-error a clause that is none
route({ ...at, clause: '4.3', handler: async () => ok });

route({
  ...at,
  clause: ['§4.3', '§2.8'],
  refusals: ['DUPLICATE_ID'],
  answers: { 303: { description: 'Elsewhere.', redirect: true }, 204: { description: 'Nothing.' } },
  handler: async ({ signal }) =>
    signal.aborted
      ? { status: 204 }
      : { status: 303, redirect: '/', headers: { 'set-cookie': ['a=1', 'b=2'] } },
});
