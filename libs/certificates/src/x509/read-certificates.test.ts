import { generateKeyPairSync } from 'node:crypto';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import { derElement, derOid, derSequence } from '../der/der-writer.ts';
import { CertificateInputError, readCertificates } from './read-certificates.ts';

const issuer = await testCa({ name: 'Reader Test CA' });
const { chain, certificatePem, fullChainPem, keyPem } = await testQwac({
  issuer,
  organizationName: 'Reader ApS',
  organizationIdentifier: 'PSDDK-DFSA-1',
});
const [leaf] = chain;
const text = (input: string) => Buffer.from(input);

function faultOf(bytes: Uint8Array): string {
  try {
    readCertificates(bytes);
    return 'none';
  } catch (error) {
    return error instanceof CertificateInputError ? error.fault : `threw ${String(error)}`;
  }
}

describe('RFC 7468: certificates as people send them', () => {
  it.each([
    ['DER', leaf!],
    ['PEM', text(certificatePem)],
    ['PEM with CRLF', text(certificatePem.replaceAll('\n', '\r\n'))],
    ['PEM with CR alone', text(certificatePem.replaceAll('\n', '\r'))],
    ['PEM after a byte order mark', text(`\uFEFF${certificatePem}`)],
    ['PEM without a final newline', text(certificatePem.trimEnd())],
    [
      'PEM after bag attributes',
      text(`Bag Attributes\n  localKeyID: 01 02\nsubject=CN = x\n${certificatePem}`),
    ],
    ['PEM between other text', text(`Certificate:\n  Data: …\n${certificatePem}\nthe end`)],
    ['PEM with blanks around its lines', text(certificatePem.replaceAll('\n', '  \n  '))],
    ['PEM in one line of base64', text(certificatePem.replaceAll(/(?<=[\w+/=])\n(?=[\w+/=])/g, ''))],
  ])('reads %s', (_, bytes) => {
    expect(readCertificates(bytes).map(({ der }) => Buffer.compare(der, leaf!))).toEqual([0]);
  });

  it('keeps the order of a chain', () => {
    const names = readCertificates(text(fullChainPem)).map(({ subject }) => subject.rdns.length);
    expect(names).toEqual([4, 3]);
  });
});

describe('input that is something else is refused with a reason', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const block = (label: string, der: Uint8Array) =>
    `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
  const number = (value: number) => derElement(0x02, Buffer.of(value));
  const pkcs7 = derSequence([derOid('1.2.840.113549.1.7.2'), derElement(0xa0, Buffer.alloc(0))]);
  const pkcs12 = derSequence([number(3), derSequence([derOid('1.2.840.113549.1.7.1')])]);
  const empty = derSequence([]);
  const request = derSequence([
    derSequence([number(0), empty, empty, derElement(0xa0, Buffer.alloc(0))]),
    empty,
    derElement(0x03, Buffer.of(0, 1)),
  ]);

  it.each([
    ['nothing', new Uint8Array(), 'empty'],
    ['text', text('hello'), 'not-pem'],
    ['a private key', text(keyPem), 'private-key'],
    ['a private key behind a certificate', text(certificatePem + keyPem), 'private-key'],
    ['a private key in DER', key.privateKey.export({ format: 'der', type: 'pkcs8' }), 'private-key'],
    ['an EC key in DER', key.privateKey.export({ format: 'der', type: 'sec1' }), 'private-key'],
    ['an RSA key in DER', rsa.privateKey.export({ format: 'der', type: 'pkcs1' }), 'private-key'],
    [
      'an encrypted key in DER',
      rsa.privateKey.export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'private-key',
    ],
    ['a public key', text(key.publicKey.export({ format: 'pem', type: 'spki' }).toString()), 'public-key'],
    ['a public key in DER', key.publicKey.export({ format: 'der', type: 'spki' }), 'public-key'],
    ['a request', text(block('CERTIFICATE REQUEST', request)), 'certificate-request'],
    ['a request in DER', request, 'certificate-request'],
    ['a request that calls itself a certificate', text(block('CERTIFICATE', request)), 'certificate-request'],
    ['PKCS#7', text(block('PKCS7', pkcs7)), 'pkcs7'],
    ['PKCS#7 in DER', pkcs7, 'pkcs7'],
    ['PKCS#12', pkcs12, 'pkcs12'],
    ['a CRL', text(block('X509 CRL', empty)), 'revocation-list'],
    ['another block', text(block('DH PARAMETERS', empty)), 'not-pem'],
    ['a block without end', text(certificatePem.replace(/-----END[^]*/, '')), 'not-pem'],
    ['a block that begins twice', text(certificatePem.replace(/-----END[^]*/, certificatePem)), 'not-pem'],
    ['a body that is not base64', text(certificatePem.replace('MII', 'M!I')), 'not-pem'],
    [
      'trailing bytes in a block',
      text(block('CERTIFICATE', Buffer.concat([leaf!, Buffer.of(0)]))),
      'not-der',
    ],
    ['trailing bytes in DER', Buffer.concat([leaf!, leaf!]), 'not-der'],
    ['a truncated certificate', leaf!.subarray(0, -1), 'not-der'],
    ['junk in DER', Buffer.of(0x30, 0x03, 0x02, 0x01, 0x01), 'private-key'],
    ['too many', text(certificatePem.repeat(129)), 'too-many'],
    ['too much', Buffer.alloc(1_000_001, 0x20), 'too-large'],
  ])('%s: %#', (_, bytes, fault) => {
    expect(faultOf(bytes)).toBe(fault);
  });

  it('never quotes a key that was sent by mistake', () => {
    expect(() => readCertificates(text(keyPem))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(keyPem.slice(40, 60)) }),
    );
  });
});
