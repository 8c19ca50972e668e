// PKCS #12 (RFC 7292) for a key with its chain. Own code on the DER writer and node:crypto: a library would bring much
// unused code.
import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { derElement, derOid, derSequence, OID, TAG } from '@kontoport/certificates';

const ITERATIONS = 2_048;
const DER_ITERATIONS = derElement(TAG.integer, Buffer.of(ITERATIONS >> 8, ITERATIONS & 0xff));
const SALT_OCTETS = 16;
const EXPLICIT = 0xa0;
const PKCS9 = '1.2.840.113549.1.9';
const BAGS = '1.2.840.113549.1.12.10.1';
const DATA = derOid('1.2.840.113549.1.7.1');

const octets = (bytes: Uint8Array): Buffer => derElement(TAG.octetString, bytes);
const bmp = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const contentInfo = (content: Uint8Array): Buffer =>
  derSequence([DATA, derElement(EXPLICIT, octets(content))]);

/** A SafeBag with the attributes that link a key to its certificate and name both. */
function bag(kind: number, value: Uint8Array, marks?: { keyId: Uint8Array; name: string }): Buffer {
  const attribute = (id: number, content: Uint8Array): Buffer =>
    derSequence([derOid(`${PKCS9}.${id}`), derElement(TAG.set, content)]);
  // A SET in DER is sorted by its elements' bytes.
  const attributes = marks
    ? [
        attribute(20, derElement(TAG.bmpString, bmp(marks.name))),
        attribute(21, octets(marks.keyId)),
      ].toSorted(Buffer.compare)
    : [];
  return derSequence([
    derOid(`${BAGS}.${kind}`),
    derElement(EXPLICIT, value),
    ...(marks ? [derElement(TAG.set, Buffer.concat(attributes))] : []),
  ]);
}

const certificateBag = (der: Uint8Array): Buffer =>
  derSequence([derOid(`${PKCS9}.22.1`), derElement(EXPLICIT, octets(der))]);

/** The key of the MAC: the derivation of RFC 7292 appendix B.2 with SHA-256, of which one block is enough. */
function sealKey(password: string, salt: Buffer): Buffer {
  const BLOCK = 64;
  const filled = (bytes: Buffer): Buffer =>
    Buffer.alloc(Math.ceil(bytes.length / BLOCK) * BLOCK, bytes.length === 0 ? 0 : bytes);
  const purpose = Buffer.alloc(BLOCK, 3);
  let block = Buffer.concat([purpose, filled(salt), filled(bmp(`${password}\0`))]);
  for (let round = 0; round < ITERATIONS; round++) block = createHash('sha256').update(block).digest();
  return block;
}

function seal(content: Uint8Array, password: string): Buffer {
  const salt = randomBytes(SALT_OCTETS);
  const digest = createHmac('sha256', sealKey(password, salt)).update(content).digest();
  const sha256 = derSequence([derOid(OID.sha256), derElement(TAG.null, Buffer.of())]);
  return derSequence([derSequence([sha256, octets(digest)]), octets(salt), DER_ITERATIONS]);
}

/**
 * Writes a PKCS #12 file with a private key and its chain, for programs without PEM (browsers, Java, Postman). The key is
 * encrypted with AES-256 (PBES2), and the file sealed with HMAC-SHA-256. The certificates are public and not encrypted.
 * @param chain DER, the key's own certificate first
 * @param options.name the name of the entry
 */
export function keyStore(options: {
  key: KeyObject;
  chain: readonly Uint8Array[];
  name: string;
  password: string;
}): Buffer {
  const { key, chain, name, password } = options;
  const keyId = createHash('sha256').update(chain[0]!).digest();
  const encrypted = key.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: password });
  const content = derSequence([
    contentInfo(
      derSequence(
        chain.map((der, at) => bag(3, certificateBag(der), at === 0 ? { keyId, name } : undefined)),
      ),
    ),
    contentInfo(derSequence([bag(2, encrypted, { keyId, name })])),
  ]);
  return derSequence([derElement(TAG.integer, Buffer.of(3)), contentInfo(content), seal(content, password)]);
}
