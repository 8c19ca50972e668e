import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_BATCH_BYTES, PartitionLog } from '../src/broker/partition-log.ts';
import { crc32c, isIntact, readBatchHeader } from '../src/broker/record-batch.ts';
import { batch } from './record-batch.ts';

let folder: string;
let log: PartitionLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-log-'));
  log = new PartitionLog(folder);
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

const reopen = (): void => {
  log.close();
  log = new PartitionLog(folder);
};
const offsetsIn = (bytes: Buffer | undefined): number[] => {
  const found: number[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length;) {
    const header = readBatchHeader(bytes, at)!;
    found.push(header.baseOffset);
    at += header.size;
  }
  return found;
};
const file = (): string => join(folder, readdirSync(folder).toSorted().at(-1)!);

describe('the log of a partition', () => {
  it('assigns offsets in the order of the appends, one per record', () => {
    expect(log.append(batch({ records: 3 }))).toEqual({ baseOffset: 0 });
    expect(log.append(batch({ records: 2 }))).toEqual({ baseOffset: 3 });
    expect(log.endOffset).toBe(5);
  });

  it('reads whole batches from the one that contains the offset', () => {
    for (const records of [3, 2, 1]) log.append(batch({ records }));
    expect(offsetsIn(log.read(0, 10_000))).toEqual([0, 3, 5]);
    expect(offsetsIn(log.read(2, 10_000))).toEqual([0, 3, 5]);
    expect(offsetsIn(log.read(3, 10_000))).toEqual([3, 5]);
    expect(offsetsIn(log.read(6, 10_000))).toEqual([]);
  });

  it('reads no more than it was asked for, but one batch at least', () => {
    for (let i = 0; i < 3; i++) log.append(batch());
    expect(offsetsIn(log.read(0, 2 * 71))).toEqual([0, 1]);
    expect(offsetsIn(log.read(0, 2 * 71 - 1))).toEqual([0]);
    expect(offsetsIn(log.read(0, 1))).toEqual([0]);
  });

  it.each([-1, 7])('has no offset %i', (offset) => {
    for (let i = 0; i < 6; i++) log.append(batch());
    expect(log.read(offset, 10_000)).toBeUndefined();
  });

  it('rejects a batch with a wrong checksum, a partial one and a large one, and continues', () => {
    const altered = batch();
    altered[65]! ^= 1;
    expect(log.append(altered)).toEqual({ refused: 'corrupt' });
    expect(log.append(batch().subarray(0, -1))).toEqual({ refused: 'corrupt' });
    expect(log.append(Buffer.alloc(0))).toEqual({ refused: 'corrupt' });
    expect(log.append(batch({ bytes: MAX_BATCH_BYTES - 60 }))).toEqual({ refused: 'too-large' });
    expect(log.append(batch())).toEqual({ baseOffset: 0 });
  });
});

describe('the log of a partition after the process was killed', () => {
  it('has every confirmed batch', () => {
    for (let i = 0; i < 40; i++) log.append(batch());
    reopen();
    expect(log.endOffset).toBe(40);
    const found: number[] = [];
    while (found.length < 40) found.push(...offsetsIn(log.read(found.length, 10_000)));
    expect(found).toEqual([...Array(40).keys()]);
  });

  it('truncates half a batch, and continues after the last whole one', () => {
    log.append(batch());
    const whole = statSync(file()).size;
    appendFileSync(file(), batch().subarray(0, 50));
    reopen();
    expect(statSync(file()).size).toBe(whole);
    expect(log.append(batch())).toEqual({ baseOffset: 1 });
  });

  it('truncates a batch that did not reach the disk completely', () => {
    log.append(batch());
    log.append(batch());
    const bytes = readFileSync(file());
    bytes[bytes.length - 1]! ^= 0xff;
    writeFileSync(file(), bytes);
    reopen();
    expect(log.endOffset).toBe(1);
  });

  it('keeps the sequences of idempotent producers', () => {
    log.append(batch({ producerId: 7, sequence: 0, records: 2 }));
    reopen();
    expect(log.append(batch({ producerId: 7, sequence: 0, records: 2 }))).toEqual({ baseOffset: 0 });
    expect(log.append(batch({ producerId: 7, sequence: 2 }))).toEqual({ baseOffset: 2 });
  });
});

describe('an idempotent producer', () => {
  const send = (sequence: number, options: { epoch?: number; records?: number } = {}) =>
    log.append(batch({ producerId: 5, sequence, ...options }));

  it('may repeat each of its last five batches without writing it twice', () => {
    for (let sequence = 0; sequence < 6; sequence++) send(sequence);
    expect(send(1)).toEqual({ baseOffset: 1 });
    expect(send(5)).toEqual({ baseOffset: 5 });
    expect(send(0)).toEqual({ refused: 'out-of-order' });
    expect(log.endOffset).toBe(6);
  });

  it('rejects a batch that leaves a gap or is partly known', () => {
    send(0, { records: 2 });
    expect(send(3)).toEqual({ refused: 'out-of-order' });
    expect(send(1)).toEqual({ refused: 'out-of-order' });
    expect(send(2)).toEqual({ baseOffset: 2 });
  });

  it('begins at 0 with a new epoch, and an older one is fenced', () => {
    send(0);
    expect(send(1, { epoch: 1 })).toEqual({ refused: 'out-of-order' });
    expect(send(0, { epoch: 1 })).toEqual({ baseOffset: 1 });
    expect(send(1)).toEqual({ refused: 'fenced' });
  });

  it('wraps to 0 after the greatest number', () => {
    send(2 ** 31 - 1);
    expect(send(0)).toEqual({ baseOffset: 1 });
  });
});

describe('the checksum', () => {
  it('is CRC-32C', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  });

  it('covers all bytes after it', () => {
    const good = batch();
    expect(isIntact(good)).toBe(true);
    for (let at = 21; at < good.length; at++) {
      const altered = Buffer.from(good);
      altered[at]! ^= 1;
      expect(isIntact(altered)).toBe(false);
    }
  });
});
