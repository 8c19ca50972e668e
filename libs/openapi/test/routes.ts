import { z } from 'zod';
import type { DescribedRoute } from '../src/described-route.ts';
import { INTERFACES } from '../src/interfaces.ts';

/** An interface for tests. */
export const INTERFACE = INTERFACES.find(({ file }) => file === 'account-and-payment')!;

const uuid = z.guid().transform((text) => text.toLowerCase());

export const amount = z.object({ amount: z.number(), currency: z.string().length(3) });

/** A list with a cursor, a creation with a body, a deprecated one, a page and a token endpoint. */
export const ROUTES: readonly DescribedRoute[] = [
  {
    method: 'GET',
    path: '/accounts/:accountId/things',
    clause: '§4.3',
    summary: 'The things of an account',
    description: 'Newest first.',
    security: { kind: 'token', scope: 'PSP_AI', tokenRefusal: 403 },
    params: z.object({ accountId: uuid.meta({ description: 'An account.' }) }),
    query: z.strictObject({
      limit: z
        .string()
        .transform(Number)
        .optional()
        .meta({
          description: 'At most so many.',
          override: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
        }),
    }),
    refusals: ['CURSOR_INVALID'],
    answers: {
      200: {
        description: 'A page.',
        json: z.object({ things: z.array(amount.meta({ id: 'Amount' })), next: z.string().optional() }),
        example: { things: [{ amount: 125.5, currency: 'DKK' }] },
      },
    },
  },
  {
    method: 'POST',
    path: '/payments/things/:thingId',
    clause: ['§4.4', '§7'],
    summary: 'A new thing',
    security: { kind: 'token', scope: 'PSP_PI' },
    params: z.object({ thingId: uuid.meta({ description: 'Chosen by the caller.' }) }),
    body: {
      json: z.strictObject({ name: z.string().max(10), kind: z.enum(['A', 'B']).optional() }),
      example: { name: 'One' },
    },
    refusals: ['DUPLICATE_ID', { code: 'STATUS_INVALID', status: 409 }],
    answers: {
      201: { description: 'It is there.', json: z.object({ id: z.uuid() }), headers: { Location: 'Where.' } },
    },
  },
  {
    method: 'DELETE',
    path: '/payments/things/:thingId',
    clause: '§4.4',
    summary: 'No thing any more',
    security: { kind: 'token', scope: 'PSP_PI' },
    params: z.object({ thingId: uuid.meta({ description: 'Chosen by the caller.' }) }),
    deprecated: {
      since: new Date('2027-01-01'),
      sunset: new Date('2028-01-01'),
      link: 'https://bank.example/why',
    },
    answers: { 204: { description: 'It is gone.' } },
  },
  {
    method: 'GET',
    path: '/page',
    clause: '§4.4',
    summary: 'A page',
    security: { kind: 'public' },
    errors: 'html',
    answers: {
      200: { description: 'The page.', html: true },
      303: { description: 'On.', redirect: true },
    },
  },
  {
    method: 'POST',
    path: '/oauth2/token',
    clause: '§4.1',
    summary: 'A token',
    security: { kind: 'certificate' },
    errors: 'oauth',
    body: { form: z.object({ grant_type: z.string() }), example: { grant_type: 'client_credentials' } },
    answers: {
      200: {
        description: 'A token.',
        json: z.object({ access_token: z.string() }),
        example: { access_token: 'x' },
      },
    },
  },
  {
    method: 'POST',
    path: '/tpp',
    clause: '§4.2',
    summary: 'A client',
    security: { kind: 'certificate', certificateRefusal: 403 },
    refusals: ['ROLE_INVALID'],
    answers: { 201: { description: 'Registered.', json: z.object({ clientId: z.uuid() }) } },
  },
];
