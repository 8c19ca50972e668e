import { DerError, type DerNode, readDer, readOid } from '../der/der-reader.ts';
import { TAG } from '../der/tag.ts';
import { type Certificate, readCertificate } from './certificate.ts';

/** The reasons why input that should be certificates is refused; they never quote the input. */
export type InputFault =
  | 'empty'
  | 'too-large'
  | 'too-many'
  | 'private-key'
  | 'certificate-request'
  | 'pkcs7'
  | 'pkcs12'
  | 'revocation-list'
  | 'public-key'
  | 'not-pem'
  | 'not-der';

/** The input holds something else than certificates. */
export class CertificateInputError extends Error {
  override readonly name = 'CertificateInputError';
  readonly fault: InputFault;

  constructor(fault: InputFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const SENTENCES: Readonly<
  Record<Exclude<InputFault, 'not-pem' | 'not-der' | 'too-large' | 'too-many'>, string>
> = {
  empty: 'There is no certificate.',
  'private-key':
    'This contains a private key. Keep it secret, replace it if it was sent, and send only certificates.',
  'certificate-request':
    'This is a certificate request (CSR). Send the certificate that the issuer made from it.',
  pkcs7: 'This is a PKCS#7 bundle. Extract the certificates as PEM (openssl pkcs7 -print_certs).',
  pkcs12: 'This is a PKCS#12 file, which holds a private key. Extract only the certificates as PEM.',
  'revocation-list': 'This is a certificate revocation list, not a certificate.',
  'public-key': 'This is a bare public key, not a certificate.',
};

const refuse = (fault: keyof typeof SENTENCES) => new CertificateInputError(fault, SENTENCES[fault]);

export interface ReadLimits {
  readonly maxBytes?: number;
  readonly maxCertificates?: number;
}

interface PemBlock {
  readonly label: string;
  readonly body: string;
}

const BEGIN = /^[ \t]*-----BEGIN ([A-Z0-9 ]{1,40})-----[ \t]*$/;

/** Blocks of RFC 7468; text between them is ignored. Linear in the length of the text. */
function splitPem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { label: string; lines: string[] } | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (!open) {
      const label = BEGIN.exec(line)?.[1];
      if (label !== undefined) open = { label, lines: [] };
      continue;
    }
    if (line.trim() === `-----END ${open.label}-----`) {
      blocks.push({ label: open.label, body: open.lines.join('') });
      open = undefined;
    } else if (line.includes('-----'))
      throw new CertificateInputError(
        'not-pem',
        `The block of a ${open.label} does not end before the next line of dashes.`,
      );
    else open.lines.push(line.trim());
  }
  if (open) throw new CertificateInputError('not-pem', `The block of a ${open.label} has no end line.`);
  return blocks;
}

const FAULT_OF_LABEL: Readonly<Record<string, keyof typeof SENTENCES>> = {
  'CERTIFICATE REQUEST': 'certificate-request',
  'NEW CERTIFICATE REQUEST': 'certificate-request',
  PKCS7: 'pkcs7',
  'PKCS #7 SIGNED DATA': 'pkcs7',
  CMS: 'pkcs7',
  PKCS12: 'pkcs12',
  'X509 CRL': 'revocation-list',
  'PUBLIC KEY': 'public-key',
  'RSA PUBLIC KEY': 'public-key',
};

function decodeBody({ body, label }: PemBlock, number: number): Uint8Array {
  const compact = body.replaceAll(/[ \t]/g, '');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(compact) && compact.length % 4 === 0;
  if (!isBase64) throw new CertificateInputError('not-pem', `Block ${number} (${label}) is not base64.`);
  return Buffer.from(compact, 'base64');
}

/** Recognizes a DER structure that is no certificate by its first elements. */
function recognize(bytes: Uint8Array): keyof typeof SENTENCES | undefined {
  let root: DerNode;
  try {
    root = readDer(bytes, { maxBytes: 1_000_000, maxDepth: 24, maxElements: 16_384 });
  } catch {
    return undefined;
  }
  const [first, second] = root.children;
  const tags = [first?.tag, second?.tag];
  if (first?.tag === TAG.oid && readOid(first).startsWith('1.2.840.113549.1.7.')) return 'pkcs7';
  if (first?.tag === TAG.integer) {
    const isPkcs12 =
      second?.tag === TAG.sequence && second.children[0]?.tag === TAG.oid && first.source[first.start] === 3;
    return isPkcs12 ? 'pkcs12' : 'private-key';
  }
  if (first?.tag !== TAG.sequence) return undefined;
  if (tags[1] === TAG.octetString) return 'private-key';
  if (tags[1] === TAG.bitString && first.children[0]?.tag === TAG.oid) return 'public-key';
  if (root.children.length !== 3) return undefined;
  const shape = first.children.map(({ tag }) => tag);
  if (shape.length === 4 && shape[0] === TAG.integer && shape[3] === 0xa0) return 'certificate-request';
  const isTime = (tag: number | undefined) => tag === TAG.utcTime || tag === TAG.generalizedTime;
  return isTime(shape[2]) || isTime(shape[3]) ? 'revocation-list' : undefined;
}

function readOne(der: Uint8Array, where: string): Certificate {
  try {
    return readCertificate(der);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    const other = recognize(der);
    if (other) throw refuse(other);
    throw new CertificateInputError('not-der', `${where} is not a certificate in DER: ${error.message}.`);
  }
}

const looksLikePem = (bytes: Uint8Array) => Buffer.from(bytes).includes('-----BEGIN ');

/** DER bytes of every PEM block with one of the labels, in order; other blocks are refused. */
function readPem(text: string, labels: readonly string[], maxBlocks: number): readonly Uint8Array[] {
  // Input with a private key is refused before any other fault is reported.
  if (/PRIVATE KEY-----/.test(text)) throw refuse('private-key');
  const blocks = splitPem(text);
  if (blocks.length === 0) throw refuse('empty');
  if (blocks.length > maxBlocks)
    throw new CertificateInputError(
      'too-many',
      `${blocks.length} PEM blocks, more than the ${maxBlocks} allowed.`,
    );
  return blocks.map((block, i) => {
    if (labels.includes(block.label)) return decodeBody(block, i + 1);
    const fault = FAULT_OF_LABEL[block.label];
    throw fault
      ? refuse(fault)
      : new CertificateInputError('not-pem', `Block ${i + 1} is a ${block.label}, not a CERTIFICATE.`);
  });
}

function checkSize(bytes: Uint8Array, maxBytes: number): void {
  if (bytes.length > maxBytes)
    throw new CertificateInputError('too-large', `${bytes.length} bytes, more than the ${maxBytes} allowed.`);
  if (bytes.length === 0) throw refuse('empty');
}

/**
 * Finds the certificates in input of people: PEM with CRLF, BOM, bag attributes or text around the blocks, with or without a final
 * newline; or one certificate in DER. The DER itself is not parsed. The order is kept. Default limits: 1,000,000 bytes, 128
 * certificates.
 * @throws CertificateInputError, whose message never quotes the input
 */
export function splitCertificates(bytes: Uint8Array, limits: ReadLimits = {}): readonly Uint8Array[] {
  checkSize(bytes, limits.maxBytes ?? 1_000_000);
  if (looksLikePem(bytes)) {
    const text = Buffer.from(bytes).toString('latin1').replace(/^ï»¿/, '');
    return readPem(text, ['CERTIFICATE', 'X509 CERTIFICATE'], limits.maxCertificates ?? 128);
  }
  if (bytes[0] !== TAG.sequence)
    throw new CertificateInputError('not-pem', 'This is neither PEM (-----BEGIN CERTIFICATE-----) nor DER.');
  return [bytes];
}

/** As `splitCertificates`, and parses each certificate. The refusal of any other input names its kind. */
export function readCertificates(bytes: Uint8Array, limits: ReadLimits = {}): readonly Certificate[] {
  const ders = splitCertificates(bytes, limits);
  return ders.map((der, i) => readOne(der, ders.length === 1 ? 'The input' : `Certificate ${i + 1}`));
}

/**
 * DER of every CRL in PEM (`X509 CRL`), or the one that the bytes are.
 * @throws CertificateInputError
 */
export function splitRevocationLists(bytes: Uint8Array): readonly Uint8Array[] {
  checkSize(bytes, 8_000_000);
  if (!looksLikePem(bytes)) return [bytes];
  return readPem(Buffer.from(bytes).toString('latin1'), ['X509 CRL'], 128);
}
