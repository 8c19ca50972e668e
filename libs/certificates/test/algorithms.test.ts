import { generateKeyPairSync } from 'node:crypto';
import {
  CertificateStore,
  checkCertificate,
  derElement,
  derSequence,
  OID,
  readCertificate,
  TAG,
  verdict,
} from '../src/index.ts';
import {
  algorithm,
  caExtensions,
  commonName,
  handmade,
  handmadeKey,
  integer,
  leafExtensions,
} from './handmade.ts';

const pssId = '1.2.840.113549.1.1.10';
const sha256 = algorithm(OID.sha256, Buffer.of(TAG.null, 0));
const mask = algorithm('1.2.840.113549.1.1.8', sha256);
const hashField = derElement(0xa0, sha256);
const maskField = derElement(0xa1, mask);
const saltField = derElement(0xa2, integer(Buffer.of(32)));
const trailerField = (value: number) => derElement(0xa3, integer(Buffer.of(value)));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const [root, leaf] = [commonName('Root'), commonName('Leaf')];

/** `accepted`, or the check that failed, for a leaf signed with RSASSA-PSS of those parameters. */
function judge(...fields: readonly Uint8Array[]): string {
  const spki = rsa.publicKey.export({ type: 'spki', format: 'der' });
  const anchor = handmade({ issuer: root, subject: root, extensions: caExtensions, spki });
  const signed = handmade({
    issuer: root,
    subject: leaf,
    extensions: leafExtensions,
    algorithm: algorithm(pssId, derSequence(fields)),
    pssKey: rsa.privateKey,
  });
  const anchors = new CertificateStore([readCertificate(anchor)]);
  const { accepted, failure } = verdict([signed], { profile: 'path', anchors, at: new Date() });
  return accepted ? 'accepted' : failure!.message.split(':')[0]!;
}

describe('RFC 4055 §2.1, §3.1: parameters of RSASSA-PSS', () => {
  it('accepts hash and mask without NULL, as §2.1 demands of who verifies', () => {
    const bare = algorithm(OID.sha256);
    const bareMask = derElement(0xa1, algorithm('1.2.840.113549.1.1.8', bare));
    expect(judge(hashField, maskField, saltField)).toBe('accepted');
    expect(judge(derElement(0xa0, bare), bareMask, saltField)).toBe('accepted');
  });

  it('accepts the trailer field when it says what its absence says, and no other', () => {
    expect(judge(hashField, maskField, saltField, trailerField(1))).toBe('accepted');
    expect(judge(hashField, maskField, saltField, trailerField(2))).toBe('signature-algorithm');
  });

  it.each([
    ['no parameter', [], 'signature-algorithm'],
    ['the default mask, which is SHA-1', [hashField, saltField], 'signature-algorithm'],
    ['another salt length than signed', [hashField, maskField], 'signature'],
    ['a field twice', [hashField, hashField, maskField, saltField], 'encoding'],
    ['fields in another order', [maskField, hashField, saltField], 'encoding'],
    ['an unknown field', [hashField, maskField, saltField, derElement(0xa4, sha256)], 'encoding'],
    [
      'a salt length that is no INTEGER',
      [hashField, maskField, derElement(0xa2, derElement(TAG.octetString, Buffer.of(32)))],
      'encoding',
    ],
  ])('refuses %s', (_, fields, check) => {
    expect(judge(...fields)).toBe(check);
  });
});

describe('RFC 5480 §2.2: the point of an EC key', () => {
  it('refuses a point that is not on its curve, in a leaf too', () => {
    const spki = Buffer.from(handmadeKey);
    spki[spki.length - 1]! ^= 1;
    const der = handmade({ issuer: root, subject: leaf, extensions: leafExtensions, spki });
    const failed = checkCertificate(readCertificate(der), 'leaf').filter(({ result }) => result === 'failed');
    expect(failed.map(({ check, evidence }) => ({ check, evidence }))).toEqual([
      { check: 'public-key', evidence: 'leaf Leaf: EC P-256: the key is not valid' },
    ]);
  });
});
