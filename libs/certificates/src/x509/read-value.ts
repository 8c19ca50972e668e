import { AsnConvert } from '@peculiar/asn1-schema';
import { DerError, type DerNode, encoded } from '../der/der-reader.ts';

/**
 * Reads an element with a schema of @peculiar/asn1-x509. The library passes over unknown fields, a wrong order and wrong types, so the
 * value must encode to the same bytes again. It takes any octets for an IA5String: names need `readGeneralName` as well.
 * @throws DerError
 */
export function readValue<T>(schema: new () => T, node: DerNode): T {
  const bytes = Buffer.from(encoded(node));
  try {
    const value = AsnConvert.parse(bytes, schema);
    if (bytes.equals(Buffer.from(AsnConvert.serialize(value)))) return value;
  } catch {
    // The library's messages quote the input.
  }
  throw new DerError('is not in the form of RFC 5280');
}
