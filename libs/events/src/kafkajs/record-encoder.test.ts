import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { Partitioners } from 'kafkajs';
import { keyPartitioner } from './partitioner.ts';
import { encodeRecord } from './record-encoder.ts';

const theirs = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (
  record: Parameters<typeof encodeRecord>[0],
) => { buffer: Buffer };

const sizes = [0, 1, 63, 64, 65, 8_191, 8_192, 70_000];

describe('the encoder of records (KIP-98)', () => {
  it.each([
    { what: 'nothing', record: {} },
    { what: 'a tombstone', record: { key: 'a', value: null } },
    { what: 'texts beyond ASCII', record: { key: 'Købmand', value: '{"title":"Smørrebrød – 🥪"}' } },
    {
      what: 'octets',
      record: { key: randomBytes(16), value: randomBytes(300), headers: { raw: randomBytes(9) } },
    },
    {
      what: 'headers',
      record: {
        key: 'a',
        value: 'b',
        headers: { ce_id: 'x', 'content-type': 'application/json', empty: '' },
      },
    },
    {
      what: 'a header with several values',
      record: { key: 'a', value: 'b', headers: { many: ['1', 'zwei'] } },
    },
    ...sizes.map((size) => ({ what: `a value of ${size}`, record: { key: 'a', value: 'v'.repeat(size) } })),
    ...[0, 63, 64, 65, 8_192, 1_048_576, 2_147_483_647].map((delta) => ({
      what: `a delta of ${delta}`,
      record: { key: 'a', value: 'b', offsetDelta: delta % 1_048_577, timestampDelta: delta },
    })),
  ])('writes $what as kafkajs does', ({ record }) => {
    expect(encodeRecord(record).toString('hex')).toBe(theirs(record).buffer.toString('hex'));
  });
});

describe('the partition of a record', () => {
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 1 }));
  const args = (key: string | Buffer | null) =>
    ({ topic: 't', partitionMetadata, message: { key, value: '' } }) as unknown as Parameters<
      typeof keyPartitioner
    >[0];
  const default_ = Partitioners.DefaultPartitioner();

  it.each(['', 'a', 'ab', 'abc', 'abcd', 'Købmand', '🥪', '\u00ff\u00ff\u00ff', 'x'.repeat(200)])(
    'of key %j is that of kafkajs and of Java',
    (key) => expect(keyPartitioner(args(key))).toBe(default_(args(key))),
  );

  it('is that of kafkajs for octets of every length', () => {
    const keys = Array.from({ length: 400 }, (_, length) => randomBytes(length % 40));
    expect(keys.map((key) => keyPartitioner(args(key)))).toEqual(keys.map((key) => default_(args(key))));
  });

  it('of a record without key is any of them', () => {
    const seen = new Set(Array.from({ length: 1_000 }, () => keyPartitioner(args(null))));
    expect([...seen].toSorted((one, other) => one - other)).toEqual(
      partitionMetadata.map(({ partitionId }) => partitionId),
    );
  });
});
