import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Posting } from '@kontoport/proto/events/v1';
import { parse } from 'yaml';
import { type IncomingRecord, outboxEvent, readEvent, topics } from '../src/index.ts';

interface Schema {
  required: string[];
  properties: Record<string, { const?: string; pattern?: string }>;
}

interface Document {
  channels: Record<
    string,
    { address: string; description: string; bindings: { kafka: { topic: string; partitions: number } } }
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
    schemas: Record<'cloudEventHeaders' | 'deadLetterHeaders' | 'posting', Schema>;
  };
}

const { channels, components } = parse(
  readFileSync(join(import.meta.dirname, '../../../proto/asyncapi.yaml'), 'utf8'),
) as Document;
const { posting: schema, cloudEventHeaders } = components.schemas;
const { headers, payload } = components.messages.postingCreated!.examples![0]!;
const whole: Posting = Posting.fromJSON(payload);
const readPosting = (given: IncomingRecord): Posting => readEvent(topics.postings)(given).message;
const record = (value: unknown) => ({
  topic: topics.postings.name,
  partition: 0,
  offset: '0',
  key: null,
  value: Buffer.from(JSON.stringify(value)),
  timestamp: 0,
  headers: {},
});

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
    for (const message of Object.values(components.messages))
      expect(message.bindings.kafka.key.description).toBe(topics.postings.key);
  });

  it('lists exactly the fields of kontoport.events.v1.Posting, with an example of all', () => {
    const fields = Object.keys(Posting.fromPartial({})).toSorted();
    expect(Object.keys(schema.properties).toSorted()).toEqual(fields);
    expect(Object.keys(payload).toSorted()).toEqual(fields);
    expect(Posting.toJSON(whole)).toEqual(payload);
  });

  it('has an example that is published and read as it stands', () => {
    expect(readPosting(record(payload))).toEqual(whole);
    const event = outboxEvent('Posting.CreatedV1', whole);
    expect(event).toEqual({
      topic: topics.postings,
      key: payload.accountId,
      eventId: headers.ce_id,
      type: headers.ce_type,
      time: new Date(headers.ce_time!),
      value: payload,
    });
    expect(Object.keys(headers).toSorted()).toEqual(Object.keys(cloudEventHeaders.properties).toSorted());
    expect(cloudEventHeaders.properties.ce_type!.const).toBe(event.type);
    expect(cloudEventHeaders.properties.ce_source!.const).toBe(topics.postings.source);
  });

  it.each(schema.required)('requires %s, without which a record is refused', (field) => {
    const { [field]: _, ...rest } = payload;
    expect(() => readPosting(record(rest))).toThrow(`${field} is missing or malformed`);
  });

  it('requires no more than that', () => {
    const { credit, audience, ...rest } = payload;
    expect(Object.keys(rest).toSorted()).toEqual(schema.required.toSorted());
    expect([credit, audience]).toEqual([true, whole.audience]);
    expect(readPosting(record(rest))).toEqual({ ...whole, credit: false, audience: [] });
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
