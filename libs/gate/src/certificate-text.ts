import { FormFault } from './form-fault.ts';

/** Certificates of one chain at most. A longer chain is refused before it is parsed. */
export const MAX_CERTIFICATES = 10;

const DER_SEQUENCE = 0x30;

/** @throws FormFault when there are more than MAX_CERTIFICATES */
export function bounded<T>(certificates: readonly T[]): readonly T[] {
  if (certificates.length > MAX_CERTIFICATES) throw new FormFault('too-many');
  return certificates;
}

/** Base64 in its one form: with padding, without stray bits, blanks or line ends. @throws FormFault */
export function base64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new FormFault('form');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new FormFault('form');
  return bytes;
}

/**
 * Reads the certificates of percent-encoded PEM blocks. Edges escape every character but letters, digits and dashes.
 * @throws FormFault
 */
export function percentEncodedPem(text: string): readonly Uint8Array[] {
  // With these escapes alone nothing can fail to decode.
  if (!/^(?:[A-Za-z0-9-]|%(?:0A|20|2B|2F|3D))+$/i.test(text)) throw new FormFault('form');
  const pem = decodeURIComponent(text);
  const block = /-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?/y;
  const bodies: string[] = [];
  while (block.lastIndex < pem.length) {
    const body = block.exec(pem)?.[1];
    if (body === undefined) throw new FormFault('form');
    bodies.push(body.replaceAll('\n', ''));
  }
  return bounded(bodies).map(base64);
}

/** Splits consecutive DER SEQUENCEs without reading their contents. @throws FormFault */
export function splitDer(bytes: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + derLength(bytes.subarray(start));
    if (end > bytes.length) throw new FormFault('form');
    parts.push(bytes.subarray(start, end));
    start = end;
  }
  return parts;
}

/** Octets of the structure at the beginning, its header included. */
function derLength(bytes: Uint8Array): number {
  const [tag, first = 0] = bytes;
  if (tag !== DER_SEQUENCE) throw new FormFault('form');
  if (first < 0x80) return 2 + first;
  const octets = first - 0x80;
  if (octets < 1 || octets > 3 || bytes.length < 2 + octets) throw new FormFault('form');
  return 2 + octets + Buffer.from(bytes.buffer, bytes.byteOffset + 2, octets).readUIntBE(0, octets);
}
