/** The header of a batch of records (message format 2), which is all that the broker reads of it. */
export interface BatchHeader {
  /** Bytes of the whole batch. */
  size: number;
  baseOffset: number;
  lastOffset: number;
  /** -1 where the producer is not idempotent. */
  producerId: number;
  producerEpoch: number;
  /** Number of the first record in the producer's sequence; its last one follows from the count. */
  baseSequence: number;
  lastSequence: number;
}

/** Bytes before the length counts. */
const PREFIX = 12;
export const HEADER_BYTES = 61;
const MAGIC = 2;
const AT = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  checksum: 17,
  checked: 21,
  lastOffsetDelta: 23,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
};

/**
 * Reads the header of the batch at `at`; undefined where there is no whole batch of this format. The checksum is not
 * looked at: see `isIntact`.
 */
export function readBatchHeader(bytes: Buffer, at = 0): BatchHeader | undefined {
  if (bytes.length - at < HEADER_BYTES || bytes.readInt8(at + AT.magic) !== MAGIC) return undefined;
  const size = PREFIX + bytes.readInt32BE(at + AT.length);
  const count = bytes.readInt32BE(at + AT.count);
  const lastOffsetDelta = bytes.readInt32BE(at + AT.lastOffsetDelta);
  if (size < HEADER_BYTES || count < 1 || lastOffsetDelta !== count - 1) return undefined;
  const baseOffset = Number(bytes.readBigInt64BE(at));
  const baseSequence = bytes.readInt32BE(at + AT.baseSequence);
  return {
    size,
    baseOffset,
    lastOffset: baseOffset + lastOffsetDelta,
    producerId: Number(bytes.readBigInt64BE(at + AT.producerId)),
    producerEpoch: bytes.readInt16BE(at + AT.producerEpoch),
    baseSequence,
    lastSequence: sequenceAfter(baseSequence, lastOffsetDelta),
  };
}

/** Sequence numbers go back to 0 after 2³¹ - 1. */
export function sequenceAfter(sequence: number, steps: number): number {
  return (sequence + steps) % 2 ** 31;
}

/** Whether the checksum (CRC-32C) of one whole batch is right. */
export function isIntact(batch: Buffer): boolean {
  return batch.readUInt32BE(AT.checksum) === crc32c(batch.subarray(AT.checked));
}

/** Gives a batch its place in the log; neither field is part of the checksum. */
export function placeBatch(batch: Buffer, baseOffset: number): void {
  batch.writeBigInt64BE(BigInt(baseOffset), 0);
  batch.writeInt32BE(0, AT.leaderEpoch);
}

const CASTAGNOLI = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
  return value;
});

/** CRC-32C (RFC 3720 appendix B.4). */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
