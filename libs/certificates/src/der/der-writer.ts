import { Buffer } from 'node:buffer';
import { TAG } from './tag.ts';

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.of(0x80 | octets.length, ...octets);
}

/** One DER element: identifier octet, minimal length, contents. */
export function derElement(tag: number, contents: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthOctets(contents.length), contents]);
}

/** SEQUENCE of already encoded elements. */
export function derSequence(elements: readonly Uint8Array[]): Buffer {
  return derElement(TAG.sequence, Buffer.concat(elements));
}

/**
 * OBJECT IDENTIFIER from its dotted form; arcs of any size.
 * @throws RangeError when the form is not dotted decimal
 */
export function derOid(dotted: string): Buffer {
  if (!/^[0-2](\.(0|[1-9]\d*))+$/.test(dotted)) throw new RangeError(`Not an object identifier: ${dotted}`);
  const [first, second, ...rest] = dotted.split('.').map(BigInt) as [bigint, bigint, ...bigint[]];
  const octets = [first * 40n + second, ...rest].flatMap((arc) => {
    const base128 = [Number(arc & 0x7fn)];
    for (let left = arc >> 7n; left > 0n; left >>= 7n) base128.unshift(Number(left & 0x7fn) | 0x80);
    return base128;
  });
  return derElement(TAG.oid, Buffer.from(octets));
}

/** UTF8String. */
export function derUtf8String(text: string): Buffer {
  return derElement(TAG.utf8String, Buffer.from(text, 'utf8'));
}
