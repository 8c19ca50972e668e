import { type CheckId, derElement, derOid, derSequence, OID, TAG } from '../src/index.ts';
import { CertificateStore, readCertificate, verdict } from '../src/index.ts';
import { caExtensions, commonName, extension, handmade, integer, leafExtensions } from './handmade.ts';

type Parts = Partial<Parameters<typeof handmade>[0]>;
type Place = 'anchor' | 'intermediate' | 'leaf';

const NAMES: Readonly<Record<Place, Uint8Array>> = {
  anchor: commonName('anchor'),
  intermediate: commonName('intermediate'),
  leaf: commonName('leaf'),
};
const ISSUER_OF = { anchor: 'anchor', intermediate: 'anchor', leaf: 'intermediate' } as const;

/** The verdict on leaf and intermediate under the anchor, one of which departs from the ordinary. */
function judge(place: Place, parts: Parts): { accepted: boolean; failed: CheckId[]; warned: CheckId[] } {
  const certificate = (at: Place): Uint8Array =>
    handmade({
      issuer: NAMES[ISSUER_OF[at]],
      subject: NAMES[at],
      extensions: at === 'leaf' ? leafExtensions : caExtensions,
      ...(at === place ? parts : {}),
    });
  const anchors = new CertificateStore([readCertificate(certificate('anchor'))]);
  const { accepted, checks } = verdict([certificate('leaf'), certificate('intermediate')], {
    profile: 'path',
    anchors,
    at: new Date(),
  });
  const of = (result: string) => checks.flatMap((check) => (check.result === result ? [check.check] : []));
  return { accepted, failed: of('failed'), warned: of('warning') };
}

const ACCEPTED = { accepted: true, failed: [], warned: [] };
const warned = (...checks: CheckId[]) => ({ accepted: true, failed: [], warned: checks });

const with_ = (...more: readonly Uint8Array[]): Parts => ({ extensions: [...caExtensions, ...more] });
const inPlaceOf = (at: number, other: Uint8Array): Parts => ({ extensions: caExtensions.with(at, other) });

const isCa = derSequence([Buffer.of(TAG.boolean, 1, 0xff)]);
const keyId = Buffer.alloc(20, 1);
const subtree = derSequence([derElement(0x82, Buffer.from('bank.test'))]);
const access = derSequence([
  derSequence([derOid('1.3.6.1.5.5.7.48.1'), derElement(0x86, Buffer.from('http://ocsp.test'))]),
]);
const points = derSequence([
  derSequence([derElement(0xa0, derElement(0xa0, derElement(0x86, Buffer.from('http://crl.test'))))]),
]);

/** Rules of RFC 5280 §4 for issuers that §6 does not require of validators. */
const ODDITIES: readonly [string, CheckId, Parts][] = [
  ['a serial number of zero', 'serial-number', { serial: Buffer.of(0) }],
  ['a negative serial number', 'serial-number', { serial: Buffer.of(0x80) }],
  ['a serial number of 21 octets', 'serial-number', { serial: Buffer.alloc(21, 1) }],
  ['a date before 2050 as GeneralizedTime', 'validity-form', { longDates: true }],
  [
    'a basicConstraints that is not critical',
    'basic-constraints',
    inPlaceOf(0, extension(OID.basicConstraints, isCa)),
  ],
  [
    'a critical subjectKeyIdentifier',
    'extension-form',
    inPlaceOf(2, extension(OID.subjectKeyIdentifier, derElement(TAG.octetString, keyId), true)),
  ],
  [
    'a critical authorityKeyIdentifier',
    'extension-form',
    inPlaceOf(3, extension(OID.authorityKeyIdentifier, derSequence([derElement(0x80, keyId)]), true)),
  ],
  [
    'a critical authorityInfoAccess',
    'extension-form',
    with_(extension(OID.authorityInfoAccess, access, true)),
  ],
  ['a critical subjectInfoAccess', 'extension-form', with_(extension(OID.subjectInfoAccess, access, true))],
  ['a critical freshestCRL', 'extension-form', with_(extension(OID.freshestCrl, points, true))],
  [
    'nameConstraints that are not critical',
    'extension-form',
    with_(extension(OID.nameConstraints, derSequence([derElement(0xa1, subtree)]))),
  ],
  [
    'an inhibitAnyPolicy that is not critical',
    'extension-form',
    with_(extension(OID.inhibitAnyPolicy, integer(Buffer.of(1)))),
  ],
  [
    'an issuerAltName that says nothing',
    'extension-form',
    with_(extension(OID.issuerAltName, derSequence([]))),
  ],
];

describe('a rule for issuers is a warning where validation does not need it (RFC 5280 §6, ADR-0006)', () => {
  it('accepts what conforms, without a word', () => {
    expect(judge('intermediate', {})).toEqual(ACCEPTED);
  });

  it.each(ODDITIES)('warns about %s in an intermediate CA', (_name, check, parts) => {
    expect(judge('intermediate', parts)).toEqual(warned(check));
  });

  it.each<[string, CheckId, Parts]>([
    ['no subjectKeyIdentifier', 'key-identifiers', { extensions: caExtensions.toSpliced(2, 1) }],
    ['no authorityKeyIdentifier', 'key-identifiers', { extensions: caExtensions.toSpliced(3, 1) }],
    [
      'a policyConstraints that is not critical',
      'extension-form',
      with_(extension(OID.policyConstraints, derSequence([derElement(0x80, Buffer.of(1))]))),
    ],
    [
      'nameConstraints that cannot be read, critical or not',
      'extension-form',
      with_(extension(OID.nameConstraints, derSequence([]))),
    ],
    [
      'a malformed authorityInfoAccess, which says where revocation is told',
      'extension-form',
      with_(extension(OID.authorityInfoAccess, derSequence([]))),
    ],
    [
      'a malformed subjectAltName, which constraints are held against',
      'extension-form',
      with_(extension(OID.subjectAltName, derSequence([]))),
    ],
    ['no basicConstraints', 'basic-constraints', { extensions: caExtensions.slice(1) }],
    [
      'a CA bit that is not set',
      'basic-constraints',
      inPlaceOf(0, extension(OID.basicConstraints, derSequence([]), true)),
    ],
  ])('refuses an intermediate CA with %s', (_name, check, parts) => {
    const { accepted, failed } = judge('intermediate', parts);
    expect([accepted, failed[0]]).toEqual([false, check]);
  });

  it('holds names against constraints that are not critical, too', () => {
    const host = derSequence([derElement(0x82, Buffer.from('tpp.bank.test'))]);
    const leaf = handmade({
      issuer: NAMES.intermediate,
      subject: NAMES.leaf,
      extensions: [...leafExtensions, extension(OID.subjectAltName, host)],
    });
    const constraints = extension(OID.nameConstraints, derSequence([derElement(0xa1, subtree)]));
    const intermediate = handmade({
      issuer: NAMES.anchor,
      subject: NAMES.intermediate,
      extensions: [...caExtensions, constraints],
    });
    const anchor = handmade({ issuer: NAMES.anchor, subject: NAMES.anchor, extensions: caExtensions });
    const { failure } = verdict([leaf, intermediate], {
      profile: 'path',
      anchors: new CertificateStore([readCertificate(anchor)]),
      at: new Date(),
    });
    expect(failure?.message).toMatch(/^name-constraints: .*excluded subtree/);
  });
});

describe('an anchor is a name and a key, chosen by the bank (RFC 5280 §6.1.1 (d), ADR-0006)', () => {
  it.each(ODDITIES.filter(([, check]) => check === 'serial-number'))(
    'asks nothing of %s',
    (_name, _check, parts) => {
      expect(judge('anchor', parts)).toEqual(ACCEPTED);
    },
  );

  it('warns about dates in the other form', () => {
    expect(judge('anchor', { longDates: true })).toEqual(warned('validity-form'));
  });

  it.each(
    ODDITIES.filter(([name, check]) => !/serial|validity/.test(check) && !name.includes('issuerAltName')),
  )('is refused with %s, which the bank sees at its start', (_name, check, parts) => {
    const { accepted, failed } = judge('anchor', parts);
    expect([accepted, failed]).toEqual([false, [check]]);
  });
});
