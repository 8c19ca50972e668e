import {
  AuditRecord,
  ConsentRevoked,
  Posting,
  TransferCreated,
  TransferStatusChanged,
} from '@kontoport/proto/events/v1';
import type { OutboxEvent } from './outbox.ts';
import type { IncomingRecord } from './record.ts';
import { type Topic, topics } from './topics.ts';

/** The message of each event type, by its CloudEvents type, which is also the type of its webhook (§6) where it has one. */
export interface EventMessages {
  'Posting.CreatedV1': Posting;
  'Consent.RevokedV1': ConsentRevoked;
  'Transfer.CreatedV1': TransferCreated;
  'Transfer.StatusChangedV1': TransferStatusChanged;
  'Audit.RecordedV1': AuditRecord;
}

export type EventType = keyof EventMessages;

/** An event of the given type, or of any. */
export type EventOf<Type extends EventType = EventType> = {
  [Each in Type]: { type: Each; message: EventMessages[Each] };
}[Type];

/** The fields of every event. */
interface EventMessage {
  /** UUID. */
  eventId: string;
  /** ISO 8601 UTC. */
  eventTime: string;
}

/**
 * A text that must be there in this form; the others, a boolean, a UUID or a list of them, a trace id,
 * may be absent: the JSON mapping leaves out `false`, empty texts and empty lists.
 */
type FieldRule = RegExp | 'boolean' | 'id' | 'ids' | 'trace';

interface EventRow<Message extends EventMessage> {
  topic: Topic;
  /** The field whose value keys its records. */
  key: keyof Message & string;
  codec: { fromJSON(fields: unknown): Message; toJSON(message: Message): unknown };
  fields: Readonly<Record<keyof Message, FieldRule>>;
}

const TEXT = /./;
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The fields of both types of the transfers topic. */
const TRANSFER_FIELDS = {
  eventId: UUID,
  eventTime: INSTANT,
  audience: 'ids',
  paymentId: UUID,
  accountId: TEXT,
  paymentType: TEXT,
  status: /^[A-Z_]+$/,
  draftId: 'id',
} as const;

/** All event types. A new one is a row, with its message in `proto/`; several may share a topic. */
const EVENTS: { readonly [Type in EventType]: EventRow<EventMessages[Type]> } = {
  'Posting.CreatedV1': {
    topic: topics.postings,
    key: 'accountId',
    codec: Posting,
    fields: {
      eventId: UUID,
      eventTime: INSTANT,
      audience: 'ids',
      accountId: TEXT,
      accountNumber: TEXT,
      ledgerPostingId: UUID,
      amountValue: /^\d+(\.\d+)?$/,
      amountCurrency: /^[A-Z]{3}$/,
      credit: 'boolean',
      postingTime: INSTANT,
    },
  },
  'Consent.RevokedV1': {
    topic: topics.consents,
    key: 'clientId',
    codec: ConsentRevoked,
    fields: {
      eventId: UUID,
      eventTime: INSTANT,
      audience: 'ids',
      clientId: UUID,
      consentId: UUID,
      accountIds: 'ids',
      revokedAt: INSTANT,
    },
  },
  'Transfer.CreatedV1': {
    topic: topics.transfers,
    key: 'accountId',
    codec: TransferCreated,
    fields: TRANSFER_FIELDS,
  },
  'Transfer.StatusChangedV1': {
    topic: topics.transfers,
    key: 'accountId',
    codec: TransferStatusChanged,
    fields: TRANSFER_FIELDS,
  },
  'Audit.RecordedV1': {
    topic: topics.audit,
    key: 'objectId',
    codec: AuditRecord,
    fields: {
      eventId: UUID,
      eventTime: INSTANT,
      action: /^[A-Z]+(_[A-Z]+)*$/,
      actor: /^(USER|CLIENT|SERVICE)$/,
      clientId: UUID,
      userId: 'id',
      objectId: UUID,
      relatedIds: 'ids',
      traceId: 'trace',
    },
  },
};

/** Every event type. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** The topic of an event type. */
export function topicOf(type: EventType): Topic {
  return EVENTS[type].topic;
}

/** An event for the outbox. */
export function outboxEvent<Type extends EventType>(type: Type, message: EventMessages[Type]): OutboxEvent {
  const { topic, key, codec }: EventRow<EventMessages[Type]> = EVENTS[type];
  return {
    topic,
    key: String(message[key]),
    eventId: message.eventId,
    type,
    time: message.eventTime,
    value: codec.toJSON(message),
  };
}

/**
 * Makes the reader of a topic: `ce_type` names the record's type among those of the topic; it may be absent where there is
 * only one.
 * @typeParam Type those of the topic
 * @returns a function that throws an Error naming the first field that is missing or malformed, never its value
 */
export function readEvent<Type extends EventType = EventType>(
  topic: Topic,
): (record: IncomingRecord) => EventOf<Type> {
  const types = EVENT_TYPES.filter((type) => EVENTS[type].topic.name === topic.name);
  const only = types.length === 1 ? types[0] : undefined;
  return ({ value, headers }) => {
    if (value === null) throw new Error('the record has no value');
    const named = headers.ce_type;
    const type = named === undefined ? only : types.find((each) => each === named);
    if (type === undefined)
      throw new Error(named === undefined ? 'ce_type is missing' : 'ce_type is not of this topic');
    const fields = parseObject(value);
    for (const [name, rule] of Object.entries(EVENTS[type].fields)) checkField(name, fields[name], rule);
    // The codec of the row is that of the type.
    return { type, message: EVENTS[type].codec.fromJSON(fields) } as EventOf<Type>;
  };
}

function checkField(name: string, field: unknown, rule: FieldRule): void {
  if (rule instanceof RegExp) {
    if (typeof field !== 'string' || !rule.test(field)) throw new Error(`${name} is missing or malformed`);
    return;
  }
  if (field !== undefined && !FORMS[rule](field)) throw new Error(`${name} is malformed`);
}

const isId = (field: unknown): boolean => typeof field === 'string' && UUID.test(field);

const FORMS = {
  boolean: (field: unknown) => typeof field === 'boolean',
  id: isId,
  ids: (field: unknown) => Array.isArray(field) && field.every(isId),
  trace: (field: unknown) => typeof field === 'string' && /^[0-9a-f]{32}$/.test(field),
};

function parseObject(value: Buffer): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString());
  } catch {
    // The parser's message repeats the text.
    throw new Error('the value is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('the value is not a JSON object');
  return parsed as Record<string, unknown>;
}
