import { createSign, createVerify, type X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';

// Required, not imported: their declarations would pull the browser's globals into the whole project.
const require = createRequire(import.meta.url);
const { DOMParser } = require('@xmldom/xmldom') as { DOMParser: new (options: object) => Parser };
const { SignedXml } = require('xml-crypto') as { SignedXml: new (options: object) => XmlSignature };

interface Parser {
  parseFromString(text: string, type: 'text/xml'): { documentElement: XmlElement | null } | undefined;
}

/** The part of a DOM document that is read here. */
export interface XmlDocument {
  documentElement: XmlElement;
}

/** The part of a DOM element that is read here. */
export interface XmlElement {
  nodeType: number;
  localName: string;
  namespaceURI: string | null;
  textContent: string | null;
  firstChild: XmlElement | null;
  nextSibling: XmlElement | null;
  getAttribute(name: string): string | null;
}

interface SignatureAlgorithm {
  getSignature(signedInfo: unknown, key: unknown): string;
  verifySignature(material: string, key: unknown, value: string): boolean;
  getAlgorithmName(): string;
}

/** The part of xml-crypto's SignedXml that is used here. */
export interface XmlSignature {
  SignatureAlgorithms: Record<string, new () => SignatureAlgorithm>;
  HashAlgorithms: Record<string, unknown>;
  addReference(reference: object): void;
  computeSignature(xml: string): void;
  getSignedXml(): string;
  loadSignature(node: XmlElement): void;
  checkSignature(xml: string): boolean;
  getReferences(): { uri?: string }[];
  getSignedReferences(): string[];
}

interface SignatureOptions {
  publicCert?: string;
  privateKey?: string;
  signatureAlgorithm?: string;
  canonicalizationAlgorithm?: string;
}

/** The XML is malformed or its signature is invalid; the message has the reason. */
export class XmlSignatureError extends Error {
  override readonly name = 'XmlSignatureError';
}

const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';

/** ECDSA as XML signatures carry it: r and s side by side (RFC 4050 §3.3), which xml-crypto does not bring along. */
function ecdsa(hash: 'sha256' | 'sha384' | 'sha512'): new () => SignatureAlgorithm {
  return class {
    getSignature(signedInfo: unknown, key: unknown): string {
      return createSign(hash)
        .update(String(signedInfo))
        .sign({ key: String(key), dsaEncoding: 'ieee-p1363' }, 'base64');
    }
    verifySignature(material: string, key: unknown, value: string): boolean {
      return createVerify(hash)
        .update(material)
        .verify({ key: String(key), dsaEncoding: 'ieee-p1363' }, value, 'base64');
    }
    getAlgorithmName(): string {
      return `${MORE}ecdsa-${hash}`;
    }
  };
}

/** A signature checker without SHA-1 and HMAC, which never uses a key from the document. */
export function createSignedXml(options: SignatureOptions): XmlSignature {
  const signature = new SignedXml({ ...options, getCertFromKeyInfo: () => null });
  for (const hash of ['sha256', 'sha384', 'sha512'] as const)
    Object.assign(signature.SignatureAlgorithms, { [`${MORE}ecdsa-${hash}`]: ecdsa(hash) });
  Reflect.deleteProperty(signature.SignatureAlgorithms, `${XMLDSIG}rsa-sha1`);
  Reflect.deleteProperty(signature.HashAlgorithms, `${XMLDSIG}sha1`);
  return signature;
}

/** Parses XML without document type declaration; every fault of form is an error. @throws XmlSignatureError. */
function parseXml(text: string): XmlDocument {
  if (/<!DOCTYPE/i.test(text)) throw new XmlSignatureError('the XML carries a document type declaration');
  const fail = (message: string): never => {
    throw new XmlSignatureError(`the XML is malformed: ${message.split('\n')[0]}`);
  };
  const parsed = new DOMParser({
    locator: {},
    errorHandler: { warning: fail, error: fail, fatalError: fail },
  }).parseFromString(text, 'text/xml');
  // Text without a single element is no fault to the parser.
  if (!parsed?.documentElement) throw new XmlSignatureError('it is not XML');
  return { documentElement: parsed.documentElement };
}

/**
 * Checks the enveloped signature over a whole document with the given certificate, and returns the document as it was signed:
 * nothing that the signature does not cover can be read from it.
 * @throws XmlSignatureError when there is not exactly one signature, it does not cover the whole document, or does not hold.
 */
export function readSignedDocument(text: string, signer: X509Certificate): XmlDocument {
  const root = parseXml(text).documentElement;
  const signatures = [...childrenOf(root)].filter(
    (child) => child.localName === 'Signature' && child.namespaceURI === XMLDSIG,
  );
  if (signatures.length !== 1)
    throw new XmlSignatureError(`the list carries ${signatures.length} signatures instead of one`);

  const signature = createSignedXml({ publicCert: signer.toString() });
  signature.loadSignature(signatures[0]!);
  let holds: boolean;
  try {
    holds = signature.checkSignature(text);
  } catch (error) {
    throw new XmlSignatureError(error instanceof Error ? error.message : 'the signature cannot be checked');
  }
  if (!holds) throw new XmlSignatureError('the list was changed after it was signed');

  const whole = signature
    .getReferences()
    .findIndex(({ uri }) => uri === '' || uri === `#${root.getAttribute('Id')}`);
  const signed = whole < 0 ? undefined : signature.getSignedReferences()[whole];
  if (signed === undefined) throw new XmlSignatureError('the signature does not cover the whole list');
  return parseXml(signed);
}

/** The child elements of an element. */
export function* childrenOf(element: XmlElement): Generator<XmlElement> {
  for (let node = element.firstChild; node; node = node.nextSibling) if (node.nodeType === 1) yield node;
}
