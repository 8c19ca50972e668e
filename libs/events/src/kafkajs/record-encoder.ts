import { createRequire } from 'node:module';

/** What kafkajs gives its encoder of records. */
interface KafkaRecord {
  offsetDelta?: number;
  /** Milliseconds. */
  timestampDelta?: number;
  key?: Bytes;
  value?: Bytes;
  headers?: Record<string, Bytes | Bytes[]>;
}

type Bytes = Buffer | string | null | undefined;

const require = createRequire(import.meta.url);
const PLACE = 'kafkajs/src/protocol/recordBatch/record/v0/index.js';

/**
 * kafkajs 2.2.4 allocates and copies some ten buffers for each record, one for each header: a quarter of what a posting
 * costs the ledger. Its requests look the encoder up when the first of them is made; from here on they find this one.
 */
export function encodeRecordsAtOnce(): void {
  require(PLACE);
  require.cache[require.resolve(PLACE)]!.exports = (record: KafkaRecord) => {
    const buf = encodeRecord(record);
    return { buf, buffer: buf };
  };
}

/** A record of Kafka's format 2, measured first and written into one buffer. */
export function encodeRecord({
  offsetDelta = 0,
  timestampDelta = 0,
  headers = {},
  ...record
}: KafkaRecord): Buffer {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value) => [name, value] as const),
  );
  const body =
    1 +
    sizeOfVarint(timestampDelta) +
    sizeOfVarint(offsetDelta) +
    sizeOfBytes(record.key) +
    sizeOfBytes(record.value) +
    pairs.reduce(
      (size, [name, value]) => size + sizeOfBytes(name) + sizeOfBytes(value),
      sizeOfVarint(pairs.length),
    );
  const writer = new Writer(Buffer.allocUnsafe(sizeOfVarint(body) + body));
  writer.varint(body);
  writer.octet(0);
  writer.varint(timestampDelta);
  writer.varint(offsetDelta);
  writer.bytes(record.key);
  writer.bytes(record.value);
  writer.varint(pairs.length);
  for (const [name, value] of pairs) {
    writer.bytes(name);
    writer.bytes(value);
  }
  return writer.buffer;
}

function lengthOf(bytes: Bytes): number {
  if (bytes === null || bytes === undefined) return -1;
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
}

function sizeOfBytes(bytes: Bytes): number {
  const length = lengthOf(bytes);
  return sizeOfVarint(length) + Math.max(length, 0);
}

/** Zigzag: small numbers are short, whatever their sign. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = zigzag(value); rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

class Writer {
  readonly buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  octet(value: number): void {
    this.buffer[this.#at++] = value;
  }

  varint(value: number): void {
    let rest = zigzag(value);
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.octet((rest % 0x80) + 0x80);
    this.octet(rest);
  }

  bytes(bytes: Bytes): void {
    const length = lengthOf(bytes);
    this.varint(length);
    if (typeof bytes === 'string') this.#at += this.buffer.write(bytes, this.#at);
    else if (bytes) this.#at += bytes.copy(this.buffer, this.#at);
  }
}
