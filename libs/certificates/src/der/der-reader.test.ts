import fc from 'fast-check';
import {
  DER_LIMITS,
  DerError,
  encoded,
  faultOfDer,
  readDer,
  readDerLeniently,
  readOid,
} from './der-reader.ts';
import { derElement, derOid, derSequence } from './der-writer.ts';
import { TAG } from './tag.ts';

const bounded = { interruptAfterTimeLimit: 4000, numRuns: 2000 };

function faultOf(read: () => unknown): string {
  try {
    read();
    return 'none';
  } catch (error) {
    return error instanceof DerError ? error.message : `threw ${String(error)}`;
  }
}

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('X.690 §8, §10, §11: what is not DER is refused with the reason', () => {
  it.each([
    ['', 'truncated element'],
    ['30', 'truncated element'],
    ['30 80 00 00', 'indefinite length'],
    ['30 81 02 05 00', 'length is not in its minimal form'],
    ['30 82 00 02 05 00', 'length is not in its minimal form'],
    ['30 85 01 00 00 00 00 00', 'length of more than four octets'],
    ['30 82 01', 'truncated length'],
    ['30 84 ff ff ff ff', 'element longer than what contains it'],
    ['30 03 05 00', 'element longer than what contains it'],
    ['30 02 05 00 00', '1 trailing bytes'],
    ['30 03 04 05 00', 'element longer than what contains it'],
    ['1f 81 00 00', 'tag number above 30'],
    ['10 00', 'primitive form of a constructed type'],
    ['24 02 04 00', 'constructed form of a primitive type'],
    ['01 01 01', 'BOOLEAN that is neither 00 nor FF'],
    ['01 00', 'BOOLEAN that is neither 00 nor FF'],
    ['02 00', 'INTEGER without contents'],
    ['02 02 00 7f', 'INTEGER is not in its minimal form'],
    ['02 02 ff 80', 'INTEGER is not in its minimal form'],
    ['03 00', 'BIT STRING with an impossible count of unused bits'],
    ['03 01 01', 'BIT STRING with an impossible count of unused bits'],
    ['03 02 08 00', 'BIT STRING with an impossible count of unused bits'],
    ['03 02 01 01', 'BIT STRING with unused bits that are not zero'],
    ['05 01 00', 'NULL with contents'],
    ['06 00', 'truncated OBJECT IDENTIFIER'],
    ['06 01 80', 'truncated OBJECT IDENTIFIER'],
    ['06 02 80 01', 'OBJECT IDENTIFIER is not in its minimal form'],
    ['0c 01 ff', 'UTF8String that is not UTF-8'],
    ['00 00', 'end-of-contents in a definite encoding'],
  ])('%s: %s', (hex, fault) => {
    expect(faultOf(() => readDer(bytes(hex)))).toBe(fault);
  });

  it('stops at its limits of size, depth and elements', () => {
    const nested = (depth: number): Uint8Array =>
      depth === 0 ? bytes('05 00') : derSequence([nested(depth - 1)]);
    expect(faultOf(() => readDer(nested(DER_LIMITS.maxDepth)))).toBe('none');
    expect(faultOf(() => readDer(nested(DER_LIMITS.maxDepth + 1)))).toMatch(/nested deeper/);
    const wide = derSequence(Array.from({ length: DER_LIMITS.maxElements }, () => bytes('05 00')));
    expect(faultOf(() => readDer(wide))).toMatch(/elements/);
    expect(faultOf(() => readDer(new Uint8Array(DER_LIMITS.maxBytes + 1)))).toMatch(/bytes, more than/);
  });

  it('reads a length that is not minimal only when asked to, and says that it is not DER', () => {
    const node = readDerLeniently(bytes('30 81 02 05 00'));
    expect(node.children).toHaveLength(1);
    expect(faultOfDer(node)).toBe('length is not in its minimal form');
  });
});

describe('object identifiers', () => {
  it('come back as they went in, with arcs of any size', () => {
    const arc = fc.bigInt({ min: 0n, max: 2n ** 70n });
    const oid = fc.oneof(
      fc.tuple(fc.constantFrom(0n, 1n), fc.bigInt({ min: 0n, max: 39n }), arc),
      fc.tuple(fc.constant(2n), arc, arc),
    );
    fc.assert(
      fc.property(oid, (arcs) => {
        const dotted = arcs.join('.');
        expect(readOid(readDer(derOid(dotted)))).toBe(dotted);
      }),
      bounded,
    );
  });
});

describe('fuzzing the reader', () => {
  it('answers any bytes with an element or a DerError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (input) => {
        expect(faultOf(() => readDer(input))).not.toMatch(/^threw/);
        expect(faultOf(() => readDerLeniently(input))).not.toMatch(/^threw/);
      }),
      bounded,
    );
  });

  it('reads back every tree that the writer makes, byte for byte', () => {
    const leaf = fc
      .tuple(
        fc.constantFrom<number>(TAG.octetString, TAG.ia5String, 0x80, 0x87),
        fc.uint8Array({ maxLength: 300 }),
      )
      .map(([tag, contents]) => derElement(tag, contents));
    const { tree } = fc.letrec<{ tree: Uint8Array }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.array(tie('tree'), { maxLength: 5 }).map(derSequence),
      ),
    }));
    fc.assert(
      fc.property(tree, (der) => {
        const node = readDer(der);
        expect(faultOfDer(node)).toBeUndefined();
        expect(Buffer.compare(encoded(node), der)).toBe(0);
      }),
      bounded,
    );
  });
});
