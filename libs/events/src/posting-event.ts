import { Posting } from '@kontoport/proto/events/v1';
import type { OutboxEvent } from './outbox.ts';
import type { IncomingRecord } from './record.ts';
import { topics } from './topics.ts';

/** CloudEvents type of a posting, and event type of its webhook (specification §6). */
export const POSTING_CREATED = 'Posting.CreatedV1';

/** The event of a posting, for the outbox. */
export function postingEvent(posting: Posting): OutboxEvent {
  return {
    topic: topics.postings,
    key: posting.accountId,
    eventId: posting.eventId,
    type: POSTING_CREATED,
    time: new Date(posting.eventTime),
    value: Posting.toJSON(posting),
  };
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Fields without a rule here may be absent: the JSON mapping leaves out `false` and empty lists. */
const REQUIRED: Partial<Record<keyof Posting, RegExp>> = {
  eventId: UUID,
  eventTime: INSTANT,
  accountId: /./,
  accountNumber: /./,
  ledgerPostingId: UUID,
  amountValue: /^\d+(\.\d+)?$/,
  amountCurrency: /^[A-Z]{3}$/,
  postingTime: INSTANT,
};

/**
 * Reads a record of the topic `kontoport.postings.v1`.
 * @throws Error naming the first field that is missing or malformed, never its value
 */
export function parsePosting({ value, headers }: IncomingRecord): Posting {
  if (value === null) throw new Error('the record has no value');
  if (headers.ce_type !== undefined && headers.ce_type !== POSTING_CREATED)
    throw new Error('ce_type is not of this topic');
  const fields = parseObject(value);
  for (const [name, form] of Object.entries(REQUIRED)) {
    const field = fields[name];
    if (typeof field !== 'string' || !form.test(field)) throw new Error(`${name} is missing or malformed`);
  }
  const { credit = false, audience = [] } = fields;
  if (typeof credit !== 'boolean') throw new Error('credit is malformed');
  if (!Array.isArray(audience) || !audience.every((client) => typeof client === 'string'))
    throw new Error('audience is malformed');
  return Posting.fromJSON(fields);
}

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
