import { type BatchHeader, sequenceAfter } from './record-batch.ts';

/** The relation of a batch to the earlier ones of its producer. */
export type Sequenced =
  | { kind: 'next' }
  /** The batch is in the log already, from this offset on. */
  | { kind: 'repeated'; baseOffset: number }
  | { kind: 'out-of-order' }
  | { kind: 'fenced' };

type Remembered = Pick<BatchHeader, 'baseSequence' | 'lastSequence' | 'baseOffset'>;

/** Batches that a producer may have in flight. */
const BATCHES = 5;
const PRODUCERS = 10_000;

/** The last batches of idempotent producers in a partition, so that a repetition is not written twice. */
export class Producers {
  readonly #known = new Map<number, { epoch: number; batches: Remembered[] }>();

  judge(batch: BatchHeader): Sequenced {
    if (batch.producerId < 0) return { kind: 'next' };
    const known = this.#known.get(batch.producerId);
    if (known === undefined) return { kind: 'next' };
    if (batch.producerEpoch < known.epoch) return { kind: 'fenced' };
    if (batch.producerEpoch > known.epoch)
      return { kind: batch.baseSequence === 0 ? 'next' : 'out-of-order' };
    const same = known.batches.find(
      ({ baseSequence, lastSequence }) =>
        baseSequence === batch.baseSequence && lastSequence === batch.lastSequence,
    );
    if (same) return { kind: 'repeated', baseOffset: same.baseOffset };
    const expected = sequenceAfter(known.batches.at(-1)!.lastSequence, 1);
    return { kind: batch.baseSequence === expected ? 'next' : 'out-of-order' };
  }

  /** Remembers a batch that was written. */
  add(batch: BatchHeader): void {
    const { producerId, producerEpoch: epoch } = batch;
    if (producerId < 0) return;
    const known = this.#known.get(producerId);
    const before = known?.epoch === epoch ? known.batches : [];
    this.#known.delete(producerId);
    this.#known.set(producerId, { epoch, batches: [...before.slice(1 - BATCHES), batch].map(remembered) });
    if (this.#known.size > PRODUCERS) this.#known.delete(this.#known.keys().next().value!);
  }
}

function remembered({ baseSequence, lastSequence, baseOffset }: Remembered): Remembered {
  return { baseSequence, lastSequence, baseOffset };
}
