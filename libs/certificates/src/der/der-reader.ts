import { isUtf8 } from 'node:buffer';
import { TAG } from './tag.ts';

/** One element of a DER encoding: offsets into `source`, children when it is constructed. */
export interface DerNode {
  readonly source: Uint8Array;
  /** Identifier octet: class, constructed bit and tag number together. */
  readonly tag: number;
  /** Offset of the identifier octet. */
  readonly from: number;
  /** Offset of the first contents octet. */
  readonly start: number;
  /** Offset behind the last contents octet. */
  readonly end: number;
  readonly children: readonly DerNode[];
}

/** Bounds on untrusted input; reached before anything is interpreted. */
export interface DerLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxElements: number;
}

export const DER_LIMITS: DerLimits = { maxBytes: 100_000, maxDepth: 24, maxElements: 16_384 };

/** The bytes are not DER (X.690 §10, §11), or more than the limits allow. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

interface Reading {
  readonly bytes: Uint8Array;
  readonly limits: DerLimits;
  /** Accept non-minimal lengths and any contents of primitive types, for explaining a fault. */
  readonly isLenient: boolean;
  /** Elements at this depth are not parsed: they have no children. */
  readonly closedFrom: number;
  elements: number;
}

const CONSTRUCTED_BIT = 0x20;
const CLASS_BITS = 0xc0;

/**
 * Reads exactly one element with everything in it.
 * @throws DerError for indefinite or non-minimal lengths, trailing bytes, values of universal types that
 *   are not DER, and for input above the limits
 */
export function readDer(bytes: Uint8Array, limits: DerLimits = DER_LIMITS): DerNode {
  return readWhole({ bytes, limits, isLenient: false, closedFrom: Infinity, elements: 0 });
}

/**
 * As `readDer`, but elements at depth `depth` have no children. `elementsOf` or `readDer` read and check their contents.
 */
export function readDerOutline(bytes: Uint8Array, depth: number, limits: DerLimits): DerNode {
  return readWhole({ bytes, limits, isLenient: false, closedFrom: depth, elements: 0 });
}

/** The elements in an element that `readDerOutline` left closed, one by one, so that few of them are in memory. */
export function* elementsOf(node: DerNode, limits: DerLimits = DER_LIMITS): Generator<DerNode, void, void> {
  const { source: bytes, end: limit } = node;
  for (let offset = node.start; offset < limit;) {
    const reading = { bytes, limits, isLenient: false, closedFrom: Infinity, elements: 0 };
    const element = readElement(reading, { offset, limit, depth: 0 });
    yield element;
    offset = element.end;
  }
}

/**
 * As `readDer`, but accepts non-minimal lengths and any contents of primitive types, for explaining a value that is not
 * DER. See `faultOfDer`.
 */
export function readDerLeniently(bytes: Uint8Array, limits: DerLimits = DER_LIMITS): DerNode {
  return readWhole({ bytes, limits, isLenient: true, closedFrom: Infinity, elements: 0 });
}

function readWhole(reading: Reading): DerNode {
  const { bytes, limits } = reading;
  if (bytes.length > limits.maxBytes)
    throw new DerError(`${bytes.length} bytes, more than the ${limits.maxBytes} allowed`);
  const node = readElement(reading, { offset: 0, limit: bytes.length, depth: 0 });
  if (node.end !== bytes.length) throw new DerError(`${bytes.length - node.end} trailing bytes`);
  return node;
}

function readElement(reading: Reading, at: { offset: number; limit: number; depth: number }): DerNode {
  const { bytes, limits } = reading;
  if (at.depth > limits.maxDepth) throw new DerError(`nested deeper than ${limits.maxDepth}`);
  reading.elements += 1;
  if (reading.elements > limits.maxElements) throw new DerError(`more than ${limits.maxElements} elements`);
  if (at.offset + 2 > at.limit) throw new DerError('truncated element');
  const tag = bytes[at.offset]!;
  if ((tag & 0x1f) === 0x1f) throw new DerError('tag number above 30');
  const { start, length } = readLength(reading, at.offset + 1, at.limit);
  const end = start + length;
  if (end > at.limit) throw new DerError('element longer than what contains it');
  const constructed = (tag & CONSTRUCTED_BIT) !== 0;
  const children: DerNode[] = [];
  if (constructed && at.depth < reading.closedFrom) {
    for (let offset = start; offset < end;) {
      const child = readElement(reading, { offset, limit: end, depth: at.depth + 1 });
      children.push(child);
      offset = child.end;
    }
  }
  const node: DerNode = { source: bytes, tag, from: at.offset, start, end, children };
  if ((tag & CLASS_BITS) === 0 && !reading.isLenient) checkUniversal(node, constructed);
  return node;
}

function readLength(reading: Reading, offset: number, limit: number): { start: number; length: number } {
  const { bytes } = reading;
  const first = bytes[offset]!;
  if (first < 0x80) return { start: offset + 1, length: first };
  const octets = first & 0x7f;
  if (octets === 0) throw new DerError('indefinite length');
  if (octets > 4) throw new DerError('length of more than four octets');
  if (offset + 1 + octets > limit) throw new DerError('truncated length');
  let length = 0;
  for (let i = 1; i <= octets; i += 1) length = length * 256 + bytes[offset + i]!;
  if (!reading.isLenient && (length < 0x80 || bytes[offset + 1] === 0))
    throw new DerError('length is not in its minimal form');
  return { start: offset + 1 + octets, length };
}

function checkUniversal(node: DerNode, constructed: boolean): void {
  const number = node.tag & 0x1f;
  const isSequenceOrSet = number === 0x10 || number === 0x11;
  if (constructed !== isSequenceOrSet)
    throw new DerError(
      constructed ? 'constructed form of a primitive type' : 'primitive form of a constructed type',
    );
  const { source, start, end } = node;
  const length = end - start;
  switch (node.tag) {
    case TAG.boolean:
      if (length !== 1 || (source[start] !== 0 && source[start] !== 0xff))
        throw new DerError('BOOLEAN that is neither 00 nor FF');
      return;
    case TAG.integer:
    case TAG.enumerated:
      checkInteger(node, length);
      return;
    case TAG.bitString:
      checkBitString(node, length);
      return;
    case TAG.null:
      if (length !== 0) throw new DerError('NULL with contents');
      return;
    case TAG.oid:
      checkOid(node, length);
      return;
    case TAG.utf8String:
      if (!isUtf8(source.subarray(start, end))) throw new DerError('UTF8String that is not UTF-8');
      return;
    case 0x00:
      throw new DerError('end-of-contents in a definite encoding');
    default:
  }
}

function checkInteger({ source, start }: DerNode, length: number): void {
  if (length === 0) throw new DerError('INTEGER without contents');
  if (length === 1) return;
  const signBit = source[start + 1]! & 0x80;
  if ((source[start] === 0 && signBit === 0) || (source[start] === 0xff && signBit !== 0))
    throw new DerError('INTEGER is not in its minimal form');
}

function checkBitString({ source, start, end }: DerNode, length: number): void {
  const unused = source[start] ?? 8;
  if (length === 0 || unused > 7 || (length === 1 && unused !== 0))
    throw new DerError('BIT STRING with an impossible count of unused bits');
  if ((source[end - 1]! & ((1 << unused) - 1)) !== 0 && length > 1)
    throw new DerError('BIT STRING with unused bits that are not zero');
}

function checkOid({ source, start, end }: DerNode, length: number): void {
  if (length === 0 || (source[end - 1]! & 0x80) !== 0) throw new DerError('truncated OBJECT IDENTIFIER');
  if (length > 64) throw new DerError('OBJECT IDENTIFIER of more than 64 octets');
  for (let i = start; i < end; i += 1)
    if (source[i] === 0x80 && (i === start || (source[i - 1]! & 0x80) === 0))
      throw new DerError('OBJECT IDENTIFIER is not in its minimal form');
}

/** Contents octets. */
export function contents(node: DerNode): Uint8Array {
  return node.source.subarray(node.start, node.end);
}

/** The whole element as it was encoded. */
export function encoded(node: DerNode): Uint8Array {
  return node.source.subarray(node.from, node.end);
}

/** Returns the reason why a leniently read element is not DER; undefined if it is DER. */
export function faultOfDer(node: DerNode): string | undefined {
  try {
    readDer(encoded(node));
    return undefined;
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

/** The element if it has the tag; else throws DerError naming `what`. */
export function expectTag(node: DerNode | undefined, tag: number, what: string): DerNode {
  if (!node) throw new DerError(`${what} is missing`);
  if (node.tag !== tag) throw new DerError(`${what} has the wrong type`);
  return node;
}

/** Dotted form of an OBJECT IDENTIFIER. */
export function readOid(node: DerNode | undefined, what = 'OBJECT IDENTIFIER'): string {
  const { source, start, end } = expectTag(node, TAG.oid, what);
  let text = '';
  let arc = 0;
  let wide: bigint | undefined;
  for (let i = start; i < end; i += 1) {
    const octet = source[i]!;
    if (wide !== undefined) wide = (wide << 7n) | BigInt(octet & 0x7f);
    else if (arc >= 2 ** 45) wide = (BigInt(arc) << 7n) | BigInt(octet & 0x7f);
    else arc = arc * 128 + (octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    if (text === '') {
      const first = wide !== undefined || arc >= 80 ? 2 : Math.floor(arc / 40);
      text = wide === undefined ? `${first}.${arc - first * 40}` : `2.${wide - 80n}`;
    } else text += `.${wide ?? arc}`;
    arc = 0;
    wide = undefined;
  }
  return text;
}

/** A non-negative INTEGER that fits 31 bits; anything else throws DerError. */
export function readSmallInteger(bytes: Uint8Array, what: string): number {
  if (bytes.length === 0 || bytes.length > 4 || (bytes[0]! & 0x80) !== 0)
    throw new DerError(`${what} is not a small non-negative INTEGER`);
  if (bytes.length > 1 && bytes[0] === 0 && (bytes[1]! & 0x80) === 0)
    throw new DerError(`${what} is not in its minimal form`);
  return bytes.reduce((value, octet) => value * 256 + octet, 0);
}
