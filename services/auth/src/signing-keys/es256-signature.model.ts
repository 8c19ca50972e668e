/** Octets of one of the two numbers of a P-256 signature. */
const OCTETS = 32;
/** Tag and length of a short DER structure. */
const HEADER = 2;

/**
 * The signature of a JWT under ES256 (RFC 7518 §3.4): R and S, 32 octets each, of a signature as OpenSSL writes it.
 * @param der SEQUENCE of two INTEGERs (RFC 3279 §2.2.3) over P-256, well-formed: nothing of it is checked
 */
export function es256Signature(der: Buffer): Buffer {
  const joined = Buffer.alloc(2 * OCTETS);
  const r = HEADER;
  const s = r + HEADER + der[r + 1]!;
  place(joined, OCTETS, der, r);
  place(joined, 2 * OCTETS, der, s);
  return joined;
}

/** A DER INTEGER is as short as it can be, and has a zero before an octet that would make it negative. */
function place(joined: Buffer, end: number, der: Buffer, at: number): void {
  const length = der[at + 1]!;
  const octets = Math.min(length, OCTETS);
  const last = at + HEADER + length;
  der.copy(joined, end - octets, last - octets, last);
}
