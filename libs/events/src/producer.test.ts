import type { Kafka } from './kafka.ts';
import { createProducer, REQUEST_BYTES } from './producer.ts';
import type { OutgoingRecord } from './record.ts';

/** The requests to the broker when these are sent: how many records each has, and all records. */
async function requestsOf(records: readonly OutgoingRecord[]): Promise<[counts: number[], OutgoingRecord[]]> {
  const requests: (readonly OutgoingRecord[])[] = [];
  const connected = {
    send: async (sent: readonly OutgoingRecord[]) => void requests.push(sent),
    disconnect: async () => {},
  };
  const kafka = { connectProducer: async () => connected } as unknown as Kafka;
  await createProducer({ kafka }).send(records);
  return [requests.map(({ length }) => length), requests.flat()];
}

/** One byte, and this number more. */
const record = (more: number, changes: Partial<OutgoingRecord> = {}): OutgoingRecord => ({
  topic: 't',
  key: 'k',
  value: 'v'.repeat(more),
  headers: {},
  ...changes,
});

describe('a request to a broker', () => {
  const third = REQUEST_BYTES / 3;

  it.each([
    ['none, of no record', [], []],
    ['one, as long as it is no more', [record(third - 100), record(third - 100), record(third - 100)], [3]],
    ['another, from the record on that is too much', [record(third), record(third), record(third)], [2, 1]],
    ['several, each anew', Array.from({ length: 5 }, () => record(third)), [2, 2, 1]],
    ['one for a record that is too large', [record(1), record(REQUEST_BYTES), record(1)], [1, 1, 1]],
    ['by the bytes of a text', [record(0, { value: 'ø'.repeat(third) }), record(third)], [1, 1]],
    ['with keys', [record(third, { key: 'k'.repeat(third) }), record(third)], [1, 1]],
    ['with headers', [record(third, { headers: { h: 'h'.repeat(third) } }), record(third)], [1, 1]],
    ['with their names', [record(third, { headers: { ['h'.repeat(third)]: '' } }), record(third)], [1, 1]],
    ['without a value', [record(0, { key: null, value: null }), record(REQUEST_BYTES - 200)], [2]],
  ])('is %s', async (_what, records, counts) => {
    expect(await requestsOf(records)).toEqual([counts, records]);
  });
});
