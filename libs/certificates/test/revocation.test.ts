import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { type TestCa, testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import {
  CertificateStore,
  type CheckId,
  derElement,
  derSequence,
  OID,
  readCertificate,
  readRevocationList,
  TAG,
  verdict,
} from '../src/index.ts';
import { faultOfList } from '../src/revocation/crl.ts';

const day = 86_400_000;
const now = new Date();
const ago = (days: number) => new Date(now.getTime() - days * day);
const crlNumber = new x509.Extension(OID.crlNumber, false, derElement(TAG.integer, Buffer.of(1)));
const url = (text: string) => derElement(0x86, Buffer.from(text));
const distributionPoint = (text: string) => derElement(0xa0, derElement(0xa0, url(text)));

let root: TestCa;
let issuing: TestCa;
let qwac: TestQwac;

interface CrlChange {
  readonly signer?: TestCa;
  readonly name?: TestCa;
  readonly revoked?: boolean;
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
  readonly extensions?: readonly x509.Extension[];
}

async function makeCrl(change: CrlChange = {}) {
  const signer = change.signer ?? issuing;
  const crl = await x509.X509CrlGenerator.create(
    {
      issuer: (change.name ?? signer).certificate.subjectName.toJSON(),
      thisUpdate: change.thisUpdate ?? ago(1),
      nextUpdate: change.nextUpdate ?? ago(-1),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      signingKey: signer.key.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
      extensions: [...(change.extensions ?? [crlNumber])],
      entries: change.revoked
        ? [{ serialNumber: qwac.certificate.serialNumber, revocationDate: ago(1) }]
        : [{ serialNumber: '0123', revocationDate: ago(1) }],
    },
    webcrypto,
  );
  return readRevocationList(new Uint8Array(crl.rawData));
}

async function judge(...changes: readonly CrlChange[]) {
  const { accepted, failure, checks, warnings } = verdict(qwac.chain, {
    anchors: new CertificateStore([readCertificate(root.der)]),
    at: now,
    crls: await Promise.all(changes.map(makeCrl)),
  });
  const failed: CheckId | undefined = checks.find(({ result }) => result === 'failed')?.check;
  return { accepted, failed, errorCode: failure?.errorCode, warnings: warnings.length };
}

beforeAll(async () => {
  root = await testCa({ name: 'Revocation Root' });
  issuing = await testCa({ name: 'Revocation CA', issuer: root });
  const points = derSequence([derSequence([distributionPoint('http://crl.example/a.crl')])]);
  qwac = await testQwac({
    issuer: issuing,
    organizationName: 'Revocable ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    extensions: [new x509.Extension(OID.crlDistributionPoints, false, points)],
  });
});

describe('RFC 5280 §6.3: a path against the CRLs given', () => {
  it('accepts what is on no list, and warns of certificates that no list speaks about', async () => {
    expect(await judge({}, { signer: root })).toMatchObject({ accepted: true, warnings: 0 });
    expect(await judge({})).toMatchObject({ accepted: true, warnings: 1 });
  });

  it('refuses a revoked certificate with CERTIFICATE_REVOKED', async () => {
    expect(await judge({ revoked: true })).toMatchObject({
      accepted: false,
      failed: 'revocation',
      errorCode: 'CERTIFICATE_REVOKED',
    });
  });

  it('refuses when one of two lists revokes', async () => {
    expect(await judge({}, { revoked: true })).toMatchObject({ failed: 'revocation' });
  });

  it('takes the good list beside an expired one', async () => {
    expect(await judge({ nextUpdate: ago(0.5) }, {})).toMatchObject({ accepted: true });
  });

  const scope = (value: Uint8Array) => [
    crlNumber,
    new x509.Extension(OID.issuingDistributionPoint, true, derSequence([value])),
  ];

  it.each<[string, () => Promise<CrlChange>]>([
    ['expired', async () => ({ nextUpdate: ago(0.5) })],
    ['not yet valid', async () => ({ thisUpdate: ago(-0.5) })],
    ['signed by another key', async () => ({ signer: await testCa({ name: 'Other' }), name: issuing })],
    [
      'without a CRL number',
      async () => ({ extensions: [new x509.Extension('1.2.3', false, Buffer.of(5, 0))] }),
    ],
    [
      'with an unknown critical extension',
      async () => ({ extensions: [crlNumber, new x509.Extension('1.2.3', true, Buffer.of(5, 0))] }),
    ],
    [
      'a delta',
      async () => ({
        extensions: [crlNumber, new x509.Extension(OID.deltaCrlIndicator, true, Buffer.of(2, 1, 1))],
      }),
    ],
    ['indirect', async () => ({ extensions: scope(derElement(0x84, Buffer.of(0xff))) })],
    [
      'of a scope with an unknown field (RFC 5280 §5.2.5)',
      async () => ({ extensions: scope(derElement(0x86, Buffer.of(0xff))) }),
    ],
    ['for some reasons only', async () => ({ extensions: scope(derElement(0x83, Buffer.of(6, 0x40))) })],
  ])('refuses when the only list is %s', async (_, change) => {
    expect(await judge(await change())).toMatchObject({ accepted: false, failed: 'revocation-list' });
  });

  it('heeds which certificates the list is about', async () => {
    const forCas = scope(derElement(0x82, Buffer.of(0xff)));
    expect(await judge({ revoked: true, extensions: forCas })).toMatchObject({ accepted: true, warnings: 2 });
    const here = scope(distributionPoint('http://crl.example/a.crl'));
    expect(await judge({ revoked: true, extensions: here })).toMatchObject({ failed: 'revocation' });
    const elsewhere = scope(distributionPoint('http://crl.example/b.crl'));
    expect(await judge({ revoked: true, extensions: elsewhere })).toMatchObject({
      accepted: true,
      warnings: 2,
    });
  });
});

describe('RFC 5280 §6.3.3 (f): who signs a CRL may do so, where a keyUsage says anything about it', () => {
  it.each([
    ['no keyUsage at all', undefined, undefined],
    ['cRLSign', new Set(['cRLSign'] as const), undefined],
    [
      'a keyUsage without cRLSign',
      new Set(['keyCertSign', 'digitalSignature'] as const),
      'its issuer may not sign CRLs (keyUsage without cRLSign)',
    ],
  ])('%s', async (_name, keyUsage, fault) => {
    const list = await makeCrl();
    const { keyUsage: _own, ...values } = readCertificate(issuing.der).values;
    const issuer = { ...readCertificate(issuing.der), values: { ...values, ...(keyUsage && { keyUsage }) } };
    expect(faultOfList(list, issuer, now)).toBe(fault);
  });
});
