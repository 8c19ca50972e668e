import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AuditRecord,
  ConsentRevoked,
  Posting,
  TransferCreated,
  TransferStatusChanged,
} from '@kontoport/proto/events/v1';
import { parse } from 'yaml';
import {
  AUDIT_ACTIONS,
  AUDITED_SERVICES,
  EVENT_TYPES,
  type EventOf,
  type EventType,
  type IncomingRecord,
  outboxEvent,
  readEvent,
  type Topic,
  topicOf,
  topics,
} from '../src/index.ts';

interface Schema {
  required: string[];
  properties: Record<string, { const?: string; enum?: string[] }>;
}

interface Document {
  channels: Record<
    string,
    {
      address: string;
      description: string;
      messages: Record<string, { $ref: string }>;
      bindings: { kafka: { topic: string; partitions: number } };
    }
  >;
  components: {
    messages: Record<
      string,
      {
        name: string;
        bindings: { kafka: { key: { description: string } } };
        examples?: { headers: Record<string, string>; payload: Record<string, unknown> }[];
      }
    >;
    schemas: Record<
      | 'cloudEventHeaders'
      | 'deadLetterHeaders'
      | 'posting'
      | 'consentRevoked'
      | 'transferCreated'
      | 'transferStatusChanged'
      | 'auditRecord',
      Schema
    >;
  };
}

const { channels, components } = parse(
  readFileSync(join(import.meta.dirname, '../../../proto/asyncapi.yaml'), 'utf8'),
) as Document;
const { cloudEventHeaders } = components.schemas;

/** A message as the file shows it. */
const exampleOf = (message: string) => components.messages[message]!.examples![0]!;
const { payload } = exampleOf('postingCreated');

const recordOn = (topic: Topic, value: unknown) => ({
  topic: topic.name,
  partition: 0,
  offset: '0',
  key: null,
  value: Buffer.from(JSON.stringify(value)),
  timestamp: 0,
  headers: {},
});
const record = (value: unknown) => recordOn(topics.postings, value);
const readPosting = (given: IncomingRecord): EventOf => readEvent(topics.postings)(given);

/** Every event type: its codec, its names in the file, the field that keys it and what the JSON mapping may leave out. */
const MESSAGES = {
  'Posting.CreatedV1': {
    codec: Posting,
    message: 'postingCreated',
    schema: 'posting',
    key: 'accountId',
    left: { credit: false, audience: [] },
  },
  'Consent.RevokedV1': {
    codec: ConsentRevoked,
    message: 'consentRevoked',
    schema: 'consentRevoked',
    key: 'clientId',
    left: { accountIds: [], audience: [] },
  },
  'Transfer.CreatedV1': {
    codec: TransferCreated,
    message: 'transferCreated',
    schema: 'transferCreated',
    key: 'accountId',
    left: { draftId: '', audience: [] },
  },
  'Transfer.StatusChangedV1': {
    codec: TransferStatusChanged,
    message: 'transferStatusChanged',
    schema: 'transferStatusChanged',
    key: 'accountId',
    left: { draftId: '', audience: [] },
  },
  'Audit.RecordedV1': {
    codec: AuditRecord,
    message: 'auditRecord',
    schema: 'auditRecord',
    key: 'objectId',
    left: { userId: '', relatedIds: [], traceId: '' },
  },
} as const satisfies Record<EventType, object>;

describe('proto/asyncapi.yaml', () => {
  it('describes exactly the topics of the code', () => {
    expect(
      Object.fromEntries(
        Object.entries(channels).map(([name, { address, description, bindings }]) => [
          name,
          { address, description, ...bindings.kafka },
        ]),
      ),
    ).toEqual(
      Object.fromEntries(
        Object.entries(topics).map(([name, topic]) => [
          name,
          {
            address: topic.name,
            topic: topic.name,
            description: topic.description,
            partitions: topic.partitions,
          },
        ]),
      ),
    );
    for (const channel of Object.values(channels))
      for (const { $ref } of Object.values(channel.messages))
        expect(components.messages[$ref.split('/').at(-1)!]!.bindings.kafka.key.description).toBe(
          Object.values(topics).find(({ name }) => name === channel.address)!.key,
        );
  });

  it('names every publisher of an event', () => {
    const sources = EVENT_TYPES.filter((type) => topicOf(type) !== topics.audit).map(
      (type) => topicOf(type).source,
    );
    const audited = AUDITED_SERVICES.map((service) => `urn:kontoport:${service}`);
    expect(cloudEventHeaders.properties.ce_source!.enum!.toSorted()).toEqual(
      [...new Set([...sources, ...audited])].toSorted(),
    );
  });

  it('names every event type', () => {
    expect(cloudEventHeaders.properties.ce_type!.enum).toEqual(EVENT_TYPES);
    expect(Object.keys(MESSAGES)).toEqual(EVENT_TYPES);
  });

  it('names every action of the audit log', () => {
    expect(components.schemas.auditRecord.properties.action!.enum).toEqual(AUDIT_ACTIONS);
  });
});

describe.each(EVENT_TYPES)('%s in proto/asyncapi.yaml', (type) => {
  const { codec, message, schema: schemaName, key, left } = MESSAGES[type];
  const schema = components.schemas[schemaName];
  const { headers, payload: example } = exampleOf(message);
  const whole = codec.fromJSON(example);
  const topic = topicOf(type);
  const read = (value: unknown) =>
    readEvent(topic)({ ...recordOn(topic, value), headers: { ce_type: type } });

  it('lists exactly the fields of its message, with an example of all', () => {
    const fields = Object.keys(codec.fromPartial({})).toSorted();
    expect(Object.keys(schema.properties).toSorted()).toEqual(fields);
    expect(Object.keys(example).toSorted()).toEqual(fields);
    expect(codec.toJSON(whole as never)).toEqual(example);
    expect(components.messages[message]!.name).toBe(type);
  });

  it('has an example that can be published and read', () => {
    expect(read(example)).toEqual({ type, message: whole });
    const event = outboxEvent(type, whole as never);
    expect(event).toEqual({
      topic,
      key: example[key],
      eventId: headers.ce_id,
      type: headers.ce_type,
      time: headers.ce_time!,
      value: example,
    });
    expect(Object.keys(headers).toSorted()).toEqual(Object.keys(cloudEventHeaders.properties).toSorted());
    expect(cloudEventHeaders.properties.ce_source!.enum).toContain(headers.ce_source);
  });

  it.each(schema.required)('requires %s', (field) => {
    const { [field]: _, ...rest } = example;
    expect(() => read(rest)).toThrow(`${field} is missing or malformed`);
  });

  it('requires no other field', () => {
    const rest = Object.fromEntries(Object.entries(example).filter(([field]) => !(field in left)));
    expect(Object.keys(rest).toSorted()).toEqual(schema.required.toSorted());
    expect(read(rest).message).toEqual({ ...whole, ...left });
  });
});

describe('a record of the postings topic', () => {
  it.each([
    ['the record has no value', { ...record({}), value: null }],
    ['the value is not JSON', { ...record({}), value: Buffer.from('{') }],
    ['the value is not a JSON object', record([payload])],
    ['the value is not a JSON object', record(null)],
    ['ce_type is not of this topic', { ...record(payload), headers: { ce_type: 'Other.CreatedV1' } }],
    ['eventId is missing or malformed', record({ ...payload, eventId: 'x' })],
    ['eventTime is missing or malformed', record({ ...payload, eventTime: 1 })],
    ['amountValue is missing or malformed', record({ ...payload, amountValue: '-1' })],
    ['amountCurrency is missing or malformed', record({ ...payload, amountCurrency: 'dkk' })],
    ['credit is malformed', record({ ...payload, credit: 'yes' })],
    ['audience is malformed', record({ ...payload, audience: [1] })],
    ['audience is malformed', record({ ...payload, audience: ['not-a-client'] })],
  ])('refuses with "%s"', (message, given) => {
    expect(() => readPosting(given)).toThrow(message);
  });
});

describe('a record of the audit log', () => {
  const { payload: done } = exampleOf('auditRecord');

  it.each([
    ['action is missing or malformed', { action: 'client registered' }],
    ['actor is missing or malformed', { actor: 'SOMEBODY' }],
    ['objectId is missing or malformed', { objectId: 'x' }],
    ['userId is malformed', { userId: 'x' }],
    ['clientId is missing or malformed', { clientId: 'x' }],
    ['traceId is malformed', { traceId: 'x'.repeat(32) }],
    ['traceId is malformed', { traceId: 1 }],
    ['relatedIds is malformed', { relatedIds: ['x'] }],
  ])('refuses with "%s"', (message, changes) => {
    expect(() => readEvent(topics.audit)(recordOn(topics.audit, { ...done, ...changes }))).toThrow(message);
  });
});

describe('a record of the transfers topic', () => {
  const read = readEvent(topics.transfers);
  const { payload: transfer } = exampleOf('transferCreated');

  it.each(['Transfer.CreatedV1', 'Transfer.StatusChangedV1'] as const)('is a %s by its type', (type) => {
    const given = { ...recordOn(topics.transfers, transfer), headers: { ce_type: type } };
    expect(read(given)).toMatchObject({ type, message: transfer });
  });

  it('is refused without its type', () => {
    expect(() => read(recordOn(topics.transfers, transfer))).toThrow('ce_type is missing');
  });

  it.each([
    ['draftId is malformed', { draftId: 'x' }],
    ['draftId is malformed', { draftId: 1 }],
    ['status is missing or malformed', { status: 'completed' }],
    ['paymentId is missing or malformed', { paymentId: 'x' }],
  ])('refuses with "%s"', (message, changes) => {
    const given = recordOn(topics.transfers, { ...transfer, ...changes });
    expect(() => read({ ...given, headers: { ce_type: 'Transfer.CreatedV1' } })).toThrow(message);
  });
});
