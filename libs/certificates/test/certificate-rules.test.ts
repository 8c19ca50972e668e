import 'reflect-metadata';
import { type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import {
  checkCertificate,
  type CheckId,
  checkValidity,
  derElement,
  derOid,
  derSequence,
  OID,
  readCertificate,
} from '../src/index.ts';

let issuer: TestCa;
const critical = (id: string, value: Uint8Array) => new x509.Extension(id, true, value);
const plain = (id: string, value: Uint8Array) => new x509.Extension(id, false, value);
const oids = (...ids: string[]) => derSequence(ids.map(derOid));

beforeAll(async () => {
  issuer = await testCa({ name: 'Rules Test CA' });
});

async function judgeLeaf(change: {
  readonly extensions?: readonly x509.Extension[];
  readonly without?: readonly string[];
  readonly notAfter?: Date;
}): Promise<readonly CheckId[]> {
  const { chain } = await testQwac({
    issuer,
    organizationName: 'Rules ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    ...change,
  });
  const checks = checkCertificate(readCertificate(chain[0]!), 'leaf');
  return checks.filter(({ result }) => result === 'failed').map(({ check }) => check);
}

async function judgeCa(extensions: readonly x509.Extension[]): Promise<readonly CheckId[]> {
  const ca = await testCa({ name: 'CA', issuer, extensions });
  const checks = checkCertificate(readCertificate(ca.der), 'intermediate');
  return checks.filter(({ result }) => result === 'failed').map(({ check }) => check);
}

describe('RFC 5280 §4.1, §4.2: one certificate by itself', () => {
  it('passes what conforms', async () => {
    expect(await judgeLeaf({})).toEqual([]);
    expect(await judgeCa([])).toEqual([]);
  });

  it.each<[string, readonly x509.Extension[], CheckId]>([
    ['an empty extKeyUsage', [plain(OID.extendedKeyUsage, oids())], 'extension-form'],
    [
      'certificatePolicies with one policy twice',
      [plain(OID.certificatePolicies, derSequence([oids('1.2.3'), oids('1.2.3')]))],
      'extension-form',
    ],
    [
      'a critical authorityInfoAccess',
      [
        critical(
          OID.authorityInfoAccess,
          derSequence([
            derSequence([derOid('1.3.6.1.5.5.7.48.1'), derElement(0x86, Buffer.from('http://x.example'))]),
          ]),
        ),
      ],
      'extension-form',
    ],
    [
      'a malformed cRLDistributionPoints',
      [plain(OID.crlDistributionPoints, derSequence([derSequence([])]))],
      'extension-form',
    ],
    ['keyUsage without a bit', [critical(OID.keyUsage, Buffer.of(3, 1, 0))], 'extension-form'],
    ['keyUsage that is no DER', [critical(OID.keyUsage, Buffer.of(3, 2, 7))], 'extension-form'],
    ['a subjectAltName without a name', [plain(OID.subjectAltName, derSequence([]))], 'extension-form'],
    [
      'a host name with an underscore',
      [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'a_b.example' }])],
      'extension-form',
    ],
    [
      'an address of five octets',
      [plain(OID.subjectAltName, derSequence([derElement(0x87, Buffer.alloc(5))]))],
      'extension-form',
    ],
    [
      'a relative URI',
      [plain(OID.subjectAltName, derSequence([derElement(0x86, Buffer.from('/path'))]))],
      'extension-form',
    ],
    [
      'pathLenConstraint without cA',
      [critical(OID.basicConstraints, derSequence([Buffer.of(2, 1, 0)]))],
      'extension-form',
    ],
    ['no authority key identifier', [plain(OID.authorityKeyIdentifier, derSequence([]))], 'key-identifiers'],
    [
      'an authority serial number without its issuer',
      [
        plain(
          OID.authorityKeyIdentifier,
          derSequence([derElement(0x80, Buffer.of(1)), derElement(0x82, Buffer.of(1))]),
        ),
      ],
      'extension-form',
    ],
    [
      'policyMappings with anyPolicy',
      [critical(OID.policyMappings, derSequence([oids(OID.anyPolicy, '1.2.3')]))],
      'extension-form',
    ],
    [
      'a negative inhibitAnyPolicy',
      [critical(OID.inhibitAnyPolicy, Buffer.of(2, 1, 0xff))],
      'extension-form',
    ],
    [
      'inhibitAnyPolicy that is not critical',
      [plain(OID.inhibitAnyPolicy, Buffer.of(2, 1, 0))],
      'extension-form',
    ],
    ['an empty policyConstraints', [critical(OID.policyConstraints, derSequence([]))], 'extension-form'],
  ])('refuses a leaf with %s', async (_, extensions, check) => {
    expect((await judgeLeaf({ extensions }))[0]).toBe(check);
  });

  it('refuses name constraints outside a CA, and empty ones in a CA', async () => {
    const tree = derElement(0xa0, derSequence([derElement(0x82, Buffer.from('example.com'))]));
    const constraints = derSequence([tree]);
    expect(await judgeLeaf({ extensions: [critical(OID.nameConstraints, constraints)] })).toEqual([
      'name-constraints-place',
    ]);
    expect(await judgeCa([critical(OID.nameConstraints, constraints)])).toEqual([]);
    expect(await judgeCa([plain(OID.nameConstraints, constraints)])).toEqual([]);
    expect(await judgeCa([critical(OID.nameConstraints, derSequence([]))])).toEqual(['extension-form']);
  });

  it('demands of a CA what it does not of a leaf', async () => {
    const { chain } = await testQwac({
      issuer,
      organizationName: 'Rules ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      without: [OID.subjectKeyIdentifier],
    });
    const certificate = readCertificate(chain[0]!);
    const failed = (place: 'leaf' | 'intermediate') =>
      checkCertificate(certificate, place).flatMap(({ check, result }) =>
        result === 'failed' ? [check] : [],
      );
    expect(failed('leaf')).toEqual([]);
    expect(failed('intermediate')).toEqual(['basic-constraints', 'key-usage', 'key-identifiers']);
  });
});

describe('RFC 5280 §6.1.4 (n): the keyUsage of a CA', () => {
  const judge = async (without: readonly string[], place: 'leaf' | 'intermediate' | 'anchor') => {
    const { chain } = await testQwac({
      issuer,
      organizationName: 'Rules ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      without,
    });
    return checkCertificate(readCertificate(chain[0]!), place).find(({ check }) => check === 'key-usage')!;
  };

  it.each(['intermediate', 'anchor'] as const)('is looked into where there is one: %s', async (place) => {
    expect(await judge([], place)).toMatchObject({
      result: 'failed',
      evidence: expect.stringContaining('without keyCertSign in its keyUsage') as string,
    });
    expect(await judge([OID.keyUsage], place)).toMatchObject({
      result: 'warning',
      evidence: expect.stringContaining('CA without keyUsage') as string,
    });
  });

  it('is no matter of the leaf, which the rules of a QWAC ask for one', async () => {
    expect((await judge([OID.keyUsage], 'leaf')).result).toBe('passed');
  });
});

describe('RFC 5280 §4.1.2.5: validity', () => {
  it('begins with the tolerance, where one is given, and ends without', async () => {
    const { chain } = await testQwac({
      issuer,
      organizationName: 'Rules ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2026-12-31T23:59:59Z'),
    });
    const certificate = readCertificate(chain[0]!);
    const at = (time: string) => {
      const { check, result } = checkValidity(certificate, 'leaf', new Date(time), 60);
      return [check, result];
    };
    expect(at('2025-12-31T23:58:59.999Z')).toEqual(['validity-begin', 'failed']);
    expect(at('2025-12-31T23:59:00Z')).toEqual(['validity', 'passed']);
    expect(at('2026-12-31T23:59:59.999Z')).toEqual(['validity', 'passed']);
    expect(at('2027-01-01T00:00:00Z')).toEqual(['validity', 'failed']);
  });

  it('reads dates from 2050 on', async () => {
    expect(await judgeLeaf({ notAfter: new Date('2050-01-01T00:00:00Z') })).toEqual([]);
  });
});
