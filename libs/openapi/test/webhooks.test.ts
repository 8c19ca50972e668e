import { z } from 'zod';
import { createEventCheck } from '../src/check-event.ts';
import { createWebhookCheck } from '../src/check-webhook.ts';
import { buildDocument } from '../src/document.ts';
import type { Json } from '../src/json.ts';
import { lintDocument } from '../src/lint.ts';
import { changedPayloads, eventPayloads, webhookPayloads } from '../src/payloads.ts';
import { INTERFACE, ROUTES } from './routes.ts';

const DATA = {
  amount: z.string().meta({ description: 'Decimal.' }),
  kind: z.enum(['A', 'B']),
  note: z.string().optional(),
};

const webhook = (eventType: string, data: z.ZodRawShape = DATA) => ({
  eventType,
  clause: '§6' as const,
  summary: 'Something happened',
  json: z.object({ eventType: z.literal(eventType), data: z.object(data) }),
  example: { eventType, data: { amount: '1.50', kind: 'A' } },
});

const documentOf = (...webhooks: ReturnType<typeof webhook>[]): Json =>
  JSON.parse(JSON.stringify(buildDocument(INTERFACE, ROUTES, webhooks))) as Json;

const before = documentOf(webhook('Thing.CreatedV1'));

const SIGNED = {
  'x-hmac-signature': 'a'.repeat(64),
  'webhook-id': 'x',
  'webhook-timestamp': '1795348800',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
};
const BODY = { eventType: 'Thing.CreatedV1', data: { amount: '1.50', kind: 'A' } };

describe('the webhooks of a document (§6)', () => {
  it('are told by event type, without a fault by the strict rules, their examples included', async () => {
    expect(await lintDocument(buildDocument(INTERFACE, ROUTES, [webhook('Thing.CreatedV1')]))).toEqual([]);
    const wrong = { ...webhook('Thing.CreatedV1'), example: { eventType: 'Thing.CreatedV1', data: {} } };
    expect(await lintDocument(buildDocument(INTERFACE, ROUTES, [wrong]))).not.toEqual([]);
    expect(Object.keys(before.webhooks as object)).toEqual(['Thing.CreatedV1']);
  });
});

describe('a webhook as it is sent', () => {
  const check = createWebhookCheck([documentOf(), before]);
  const faults = (body: unknown, headers: Record<string, string> = SIGNED): string[] =>
    check({ headers, body: JSON.stringify(body) });

  it('is as the document tells it', () => {
    expect(faults(BODY)).toEqual([]);
    expect(faults({ ...BODY, data: { ...BODY.data, note: 'x' } }, { ...SIGNED, traceparent: '00' })).toEqual(
      [],
    );
  });

  it.each<[unknown, string]>([
    [{ ...BODY, data: { kind: 'A' } }, "data: must have required property 'amount'"],
    [{ ...BODY, data: { ...BODY.data, amount: 1.5 } }, 'data.amount: must be string'],
    [
      { ...BODY, data: { ...BODY.data, kind: 'C' } },
      'data.kind: must be equal to one of the allowed values: A, B',
    ],
    [{ ...BODY, data: { ...BODY.data, other: 1 } }, 'data: must NOT have additional properties (other)'],
    [{ ...BODY, other: 1 }, 'must NOT have additional properties (other)'],
  ])('is none when it says %j', (body, fault) => {
    expect(faults(body)).toEqual([`webhook Thing.CreatedV1 ${fault}`]);
  });

  it('has a type that is told', () => {
    expect(faults({ eventType: 'Other.CreatedV1' })).toEqual(['webhook Other.CreatedV1 is in no document']);
    expect(check({ headers: SIGNED, body: 'no JSON' })).toEqual(['webhook without a type is in no document']);
  });

  it.each(Object.keys(SIGNED))('has the header %s', (name) => {
    const { [name]: _gone, ...rest } = SIGNED as Record<string, string>;
    expect(faults(BODY, rest)).toEqual([expect.stringMatching(new RegExp(`has no header ${name}$`, 'i'))]);
  });

  it.each(Object.keys(SIGNED).filter((name) => name !== 'webhook-id'))(
    'has the header %s in its form',
    (name) => {
      expect(faults(BODY, { ...SIGNED, [name]: 'x' })).toEqual([
        expect.stringMatching(new RegExp(`header ${name} must match pattern`, 'i')),
      ]);
    },
  );
});

const TOPICS: Json = {
  channels: {
    things: { address: 'things.v1', messages: { created: { $ref: '#/components/messages/created' } } },
  },
  components: {
    messages: {
      created: {
        name: 'Thing.CreatedV1',
        headers: { $ref: '#/components/schemas/headers' },
        payload: { $ref: '#/components/schemas/thing' },
        examples: [{ payload: { id: 'x' } }],
      },
    },
    schemas: {
      headers: { type: 'object', required: ['ce_type'], properties: { ce_type: { type: 'string' } } },
      thing: {
        type: 'object',
        description: 'A thing.',
        required: ['id'],
        properties: { id: { type: 'string' }, description: { type: 'string', description: 'A member.' } },
      },
    },
  },
};

describe('an event as it is published', () => {
  const check = createEventCheck(TOPICS);
  const faults = (
    value: unknown,
    headers: object = { ce_type: 'Thing.CreatedV1' },
    topic = 'things.v1',
  ): string[] => check({ topic, headers: headers as Record<string, unknown>, value: JSON.stringify(value) });

  it('is as the document tells it; other topics are not ours', () => {
    expect(faults({ id: 'x', description: 'y' })).toEqual([]);
    expect(faults({}, {}, 'others.v1')).toEqual([]);
  });

  it.each<[unknown, object, string]>([
    [{}, { ce_type: 'Thing.CreatedV1' }, "Thing.CreatedV1 must have required property 'id'"],
    [{ id: 1 }, { ce_type: 'Thing.CreatedV1' }, 'Thing.CreatedV1 id: must be string'],
    [
      { id: 'x', other: 1 },
      { ce_type: 'Thing.CreatedV1' },
      'Thing.CreatedV1 must NOT have additional properties (other)',
    ],
    [{ id: 'x' }, { ce_type: 'Thing.GoneV1' }, 'Thing.GoneV1 is no message of things.v1'],
    [
      { id: 'x' },
      { ce_type: 'Thing.CreatedV1', other: '1' },
      'Thing.CreatedV1 headers must NOT have additional properties (other)',
    ],
  ])('is none with %j and %j', (value, headers, fault) => {
    expect(faults(value, headers)).toEqual([`event ${fault}`]);
  });
});

describe('a change of what is sent', () => {
  const webhooksOf = (...given: Parameters<typeof documentOf>) => webhookPayloads(documentOf(...given));

  it.each<[string, z.ZodRawShape]>([
    ['a new member', { ...DATA, other: z.string() }],
    ['a member that is gone', { amount: DATA.amount, kind: DATA.kind }],
    ['another type', { ...DATA, amount: z.number() }],
    ['a further value', { ...DATA, kind: z.enum(['A', 'B', 'C']) }],
    ['what may be absent', { ...DATA, note: z.string() }],
  ])('is %s', (_what, data) => {
    expect(changedPayloads(webhookPayloads(before), webhooksOf(webhook('Thing.CreatedV1', data)))).toEqual([
      'Thing.CreatedV1',
    ]);
  });

  it('is a webhook that comes or goes', () => {
    const both = documentOf(webhook('Thing.CreatedV1'), webhook('Thing.GoneV1'));
    expect(changedPayloads(webhookPayloads(before), webhookPayloads(both))).toEqual(['Thing.GoneV1']);
    expect(changedPayloads(webhookPayloads(both), webhookPayloads(before))).toEqual(['Thing.GoneV1']);
    expect(changedPayloads(webhookPayloads({}), webhookPayloads(before))).toEqual(['Thing.CreatedV1']);
  });

  it('is none of words, examples and order', () => {
    const { note, kind } = DATA;
    const told = { note, kind, amount: z.string().meta({ description: 'In other words.' }) };
    const example = { eventType: 'Thing.CreatedV1', data: { amount: '2.50', kind: 'B' } };
    const other = { ...webhook('Thing.CreatedV1', told), summary: 'In other words', example };
    expect(changedPayloads(webhookPayloads(before), webhooksOf(other))).toEqual([]);
  });

  it('is one of an event, its headers and members called like words included', () => {
    const changed = (change: (schemas: Record<string, Record<string, object>>) => void): string[] => {
      const copy = structuredClone(TOPICS) as {
        components: { schemas: Record<string, Record<string, object>> };
      };
      change(copy.components.schemas);
      return changedPayloads(eventPayloads(TOPICS), eventPayloads(copy as unknown as Json));
    };
    expect(changed(() => {})).toEqual([]);
    expect(changed(({ thing }) => Object.assign(thing!, { description: 'In other words.' }))).toEqual([]);
    expect(changed(({ thing }) => Object.assign(thing!.properties!, { description: {} }))).toEqual([
      'Thing.CreatedV1',
    ]);
    expect(changed(({ headers }) => Object.assign(headers!, { required: [] }))).toEqual(['Thing.CreatedV1']);
  });
});
