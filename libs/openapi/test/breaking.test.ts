import { z } from 'zod';
import { announcesBreak, breakingChanges } from '../src/breaking.ts';
import type { DescribedRoute } from '../src/described-route.ts';
import { buildDocument } from '../src/document.ts';
import type { Json } from '../src/schema-changes.ts';
import { amount, INTERFACE, ROUTES } from './routes.ts';

const documentOf = (routes: readonly DescribedRoute[]): Json =>
  JSON.parse(JSON.stringify(buildDocument(INTERFACE, routes))) as Json;

const before = documentOf(ROUTES);
const LIST = 'GET /accounts/:accountId/things';
const CREATE = 'POST /payments/things/:thingId';

/** The routes with one of them changed. */
function changed(name: string, change: (route: DescribedRoute) => Partial<DescribedRoute>): Json {
  return documentOf(
    ROUTES.map((route) =>
      `${route.method} ${route.path}` === name ? { ...route, ...change(route) } : route,
    ),
  );
}

const page = (schema: z.ZodType): Partial<DescribedRoute> => ({
  answers: { 200: { description: 'A page.', json: schema } },
});
const things = z.array(amount.meta({ id: 'Amount' }));
const body = (shape: z.ZodRawShape): Partial<DescribedRoute> => ({
  body: { json: z.strictObject(shape), example: {} },
});
const name = z.string().max(10);
const kind = z.enum(['A', 'B']).optional();

describe('a breaking change (§9)', () => {
  it.each<[string, Json, string]>([
    ['a removed operation', documentOf(ROUTES.slice(1)), 'GET /accounts/{accountId}/things: is gone'],
    ['a removed member', changed(LIST, () => page(z.object({ things }))), 'answer 200: next is gone'],
    [
      'a renamed member of a shared schema',
      changed(LIST, () =>
        page(
          z.object({
            things: z.array(z.object({ value: z.number(), currency: z.string().length(3) })),
            next: z.string().optional(),
          }),
        ),
      ),
      'answer 200: things[].amount is gone',
    ],
    [
      'a member of another type',
      changed(LIST, () =>
        page(
          z.object({ things: z.array(amount.extend({ amount: z.string() })), next: z.string().optional() }),
        ),
      ),
      'answer 200: things[].amount was number and is string',
    ],
    [
      'a member that can be null',
      changed(LIST, () => page(z.object({ things, next: z.string().nullable().optional() }))),
      'answer 200: next was string and is string or null',
    ],
    [
      'a shape that was not announced',
      changed(LIST, () => page(z.object({ things: things.nullable(), next: z.string().optional() }))),
      'answer 200: things can now be null',
    ],
    [
      'a shape that is no longer taken',
      changed(CREATE, () => body({ name, kind: z.union([z.boolean(), z.array(z.string())]) })),
      'body: kind is no longer taken as string',
    ],
    [
      'a member that can be missing',
      changed(LIST, () => page(z.object({ things: things.optional(), next: z.string().optional() }))),
      'answer 200: things is no longer always there',
    ],
    [
      'a required member of a body',
      changed(CREATE, () => body({ name, kind, other: z.string() })),
      'body: other is now required',
    ],
    ['a removed member of a closed body', changed(CREATE, () => body({ name })), 'body: kind is gone'],
    [
      'a shorter text',
      changed(CREATE, () => body({ name: z.string().max(9), kind })),
      'body: name has maxLength 9, not 10',
    ],
    ['a pattern', changed(CREATE, () => body({ name: name.regex(/a/), kind })), 'body: name has pattern a'],
    [
      'a narrower list',
      changed(CREATE, () => body({ name, kind: z.enum(['A']).optional() })),
      'body: kind lost "B"',
    ],
    [
      'another type in a body',
      changed(CREATE, () => body({ name: z.int(), kind })),
      'body: name was string and is integer',
    ],
    [
      'a removed body type',
      changed(CREATE, () => ({ body: { form: z.object({ name }), example: {} } })),
      'body: application/json is gone',
    ],
    [
      'a required parameter',
      changed(CREATE, () => ({ query: z.strictObject({ force: z.string() }) })),
      'query force is now required',
    ],
    ['a removed parameter', changed(LIST, () => ({ query: undefined })), 'query limit is gone'],
    [
      'a narrower parameter',
      changed(LIST, () => ({
        query: z.strictObject({
          limit: z
            .string()
            .optional()
            .meta({ override: { type: 'integer', minimum: 1, maximum: 100 } }),
        }),
      })),
      'query limit has maximum 100, not 500',
    ],
    ['a removed status', changed(CREATE, () => ({ refusals: [] })), 'answer 409: is gone'],
    [
      'a removed errorCode',
      changed(LIST, () => ({ refusals: [] })),
      'answer 400: errorCode lost "CURSOR_INVALID"',
    ],
    [
      'a removed header',
      changed(CREATE, (route) => ({ answers: { 201: { ...route.answers[201]!, headers: {} } } })),
      'answer 201: header Location is gone',
    ],
    [
      'another scope',
      changed(LIST, () => ({ security: { kind: 'token', scope: 'PSP_PI', tokenRefusal: 403 } })),
      'demands {"certificate":[],"oauth":["PSP_PI"]} instead of {"certificate":[],"oauth":["PSP_AI"]}',
    ],
    [
      'a lock on what was public',
      changed('GET /page', () => ({ security: { kind: 'certificate' } })),
      'GET /page: demands {"certificate":[]} instead of nothing',
    ],
    [
      'a lost prefix',
      { ...before, servers: [{ url: '{base_url}' }] },
      '{base_url}/aisp-pisp: is no longer an address',
    ],
  ])('is %s', (_what, after, expected) => {
    expect(breakingChanges(before, after)).toContainEqual(expect.stringContaining(expected));
  });

  it.each<[string, Json]>([
    ['nothing at all', before],
    ['a new operation', documentOf([...ROUTES, { ...ROUTES[0]!, path: '/v3/accounts/:accountId/things' }])],
    [
      'a new member of an answer',
      changed(LIST, () => page(z.object({ things, next: z.string().optional(), more: z.boolean() }))),
    ],
    [
      'a new optional member of a body',
      changed(CREATE, () => body({ name, kind, other: z.string().optional() })),
    ],
    [
      'a wider list and a longer text',
      changed(CREATE, () => body({ name: z.string().max(20), kind: z.enum(['A', 'B', 'C']).optional() })),
    ],
    ['a body that need not have a member', changed(CREATE, () => body({ name: name.optional(), kind }))],
    [
      'a new optional parameter',
      changed(CREATE, () => ({ query: z.strictObject({ force: z.string().optional() }) })),
    ],
    ['a new errorCode and status', changed(LIST, () => ({ refusals: ['CURSOR_INVALID', 'RATE_LIMITED'] }))],
    ['other words', changed(LIST, () => ({ summary: 'Other', description: 'Words.' }))],
    [
      'a deprecation',
      changed(LIST, () => ({ deprecated: { since: new Date(0), link: 'https://bank.example' } })),
    ],
  ])('is not %s', (_what, after) => {
    expect(breakingChanges(before, after)).toEqual([]);
  });
});

describe('a version announces a break (§9)', () => {
  it.each([
    ['0.3.0', '0.3.0', false],
    ['0.3.0', '0.3.1', false],
    ['0.3.0', '0.4.0', true],
    ['0.3.0', '1.0.0', true],
    ['0.3.0', '0.2.0', false],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', true],
    ['0.0.1', '0.0.2', true],
    ['2.0.0', '1.9.9', false],
  ])('%s → %s: %s', (old, now, announced) => {
    expect(announcesBreak(old, now)).toBe(announced);
  });
});
