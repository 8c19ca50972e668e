import fc from 'fast-check';

/** One change to a run of bytes. */
export type Mutation = (input: Uint8Array) => Uint8Array;

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (input: Uint8Array, share: number) => Math.floor(share * input.length);

function splice(input: Uint8Array, offset: number, removed: number, added: Uint8Array): Uint8Array {
  return Buffer.concat([input.subarray(0, offset), added, input.subarray(offset + removed)]);
}

/** Bit flips, set bytes, insertions, deletions and copies of a run to another place. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat({ max: 7 })).map(([where, bit]) => (input: Uint8Array) => {
    const offset = at(input, where);
    return splice(input, offset, 1, Buffer.of(input[offset]! ^ (1 << bit)));
  }),
  fc.tuple(place, fc.constantFrom(0x00, 0x01, 0x30, 0x7f, 0x80, 0x81, 0xff)).map(
    ([where, value]) =>
      (input: Uint8Array) =>
        splice(input, at(input, where), 1, Buffer.of(value)),
  ),
  fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(
    ([where, added]) =>
      (input: Uint8Array) =>
        splice(input, at(input, where), 0, added),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 64 })).map(
    ([where, count]) =>
      (input: Uint8Array) =>
        splice(input, at(input, where), count, Buffer.alloc(0)),
  ),
  fc.tuple(place, place, fc.integer({ min: 1, max: 64 })).map(([from, to, count]) => (input: Uint8Array) => {
    const start = at(input, from);
    return splice(input, at(input, to), count, input.subarray(start, start + count));
  }),
);

/** One to four changes, one after the other. */
export const mutations: fc.Arbitrary<Mutation> = fc
  .array(mutation, { minLength: 1, maxLength: 4 })
  .map((steps) => (input) => steps.reduce((bytes, step) => (bytes.length > 0 ? step(bytes) : bytes), input));
