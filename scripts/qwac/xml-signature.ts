import { createSign, createVerify, type X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { type SignatureAlgorithm, SignedXml } from 'xml-crypto';

/** The XML is malformed or its signature does not hold; the message says why. */
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
  } as new () => SignatureAlgorithm;
}

/** A signature checker that knows no SHA-1 and no HMAC, and never takes a key from the document. */
export function createSignedXml(options: ConstructorParameters<typeof SignedXml>[0] = {}): SignedXml {
  const signature = new SignedXml({ ...options, getCertFromKeyInfo: () => null });
  for (const hash of ['sha256', 'sha384', 'sha512'] as const)
    Object.assign(signature.SignatureAlgorithms, { [`${MORE}ecdsa-${hash}`]: ecdsa(hash) });
  Reflect.deleteProperty(signature.SignatureAlgorithms, `${XMLDSIG}rsa-sha1`);
  Reflect.deleteProperty(signature.HashAlgorithms, `${XMLDSIG}sha1`);
  return signature;
}

/** Parses XML without document type declaration; every fault of form is an error. @throws XmlSignatureError. */
export function parseXml(text: string): Document {
  if (/<!DOCTYPE/i.test(text)) throw new XmlSignatureError('the XML carries a document type declaration');
  const fail = (message: string): never => {
    throw new XmlSignatureError(`the XML is malformed: ${message.split('\n')[0]}`);
  };
  const document = new DOMParser({
    locator: {},
    errorHandler: { warning: fail, error: fail, fatalError: fail },
  }).parseFromString(text, 'text/xml');
  return document as unknown as Document;
}

/**
 * Checks the enveloped signature over a whole document with the given certificate, and hands back the document as it
 * was signed: nothing that the signature does not cover can be read from it.
 * @throws XmlSignatureError when there is not exactly one signature, it does not cover the whole document, or does not hold.
 */
export function readSignedDocument(text: string, signer: X509Certificate): Document {
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
export function* childrenOf(element: Element): Generator<Element> {
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 1) yield node as Element;
}
