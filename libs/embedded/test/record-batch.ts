import { crc32c } from '../src/broker/record-batch.ts';

/** A batch as a producer sends it; the broker looks at its header only, so the records are filling. */
export function batch(
  options: {
    records?: number;
    bytes?: number;
    producerId?: number;
    epoch?: number;
    sequence?: number;
  } = {},
): Buffer {
  const { records = 1, bytes = 10, producerId = -1, epoch = 0, sequence = producerId < 0 ? -1 : 0 } = options;
  const buffer = Buffer.alloc(61 + bytes, 0x2a);
  buffer.fill(0, 0, 61);
  buffer.writeInt32BE(buffer.length - 12, 8);
  buffer.writeInt8(2, 16);
  buffer.writeInt32BE(records - 1, 23);
  buffer.writeBigInt64BE(BigInt(producerId), 43);
  buffer.writeInt16BE(epoch, 51);
  buffer.writeInt32BE(sequence, 53);
  buffer.writeInt32BE(records, 57);
  buffer.writeUInt32BE(crc32c(buffer.subarray(21)), 17);
  return buffer;
}
