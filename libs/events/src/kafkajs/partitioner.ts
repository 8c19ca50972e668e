import { randomInt } from 'node:crypto';
import type { PartitionerArgs } from 'kafkajs';

/**
 * Which partition a record belongs to: by its key as Java's client has it, so that every producer of a topic agrees;
 * without a key, any.
 */
export function keyPartitioner({ partitionMetadata, message: { key } }: PartitionerArgs): number {
  const partitions = partitionMetadata.length;
  if (key === null || key === undefined) return randomInt(partitions);
  return (murmur2(Buffer.isBuffer(key) ? key : Buffer.from(key)) & 0x7fffffff) % partitions;
}

const MIX = 0x5bd1e995;

/** MurmurHash2 in 32 bits, which kafkajs computes in 64 and many times as long. */
function murmur2(bytes: Buffer): number {
  const whole = bytes.length & ~3;
  let hash = 0x9747b28c ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MIX);
    word = Math.imul(word ^ (word >>> 24), MIX);
    hash = Math.imul(hash, MIX) ^ word;
  }
  const rest = bytes.length - whole;
  if (rest > 0) hash = Math.imul(hash ^ bytes.readUIntLE(whole, rest), MIX);
  hash = Math.imul(hash ^ (hash >>> 13), MIX);
  return hash ^ (hash >>> 15);
}
