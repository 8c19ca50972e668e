import 'reflect-metadata';
import { encodeQcCompliance, encodeQcType } from '@kontoport/issuing';
import { type TestCa, testCa, testQwac, type TestRole } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import {
  type CheckId,
  checkQwac,
  derElement,
  derOid,
  derSequence,
  encodePsd2Statement,
  OID,
  readCertificate,
  ROLE_OIDS,
  TAG,
} from '../src/index.ts';

let issuer: TestCa;

beforeAll(async () => {
  issuer = await testCa({ name: 'QWAC Test CA' });
});

type Change = Omit<
  Parameters<typeof testQwac>[0],
  'issuer' | 'organizationName' | 'organizationIdentifier'
> & {
  readonly organizationIdentifier?: string;
};

async function judge(change: Change = {}) {
  const { chain } = await testQwac({
    issuer,
    organizationName: 'Leaf ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    ...change,
  });
  const { checks, roles, statedRoles } = checkQwac(readCertificate(chain[0]!));
  const of = (result: string): CheckId[] =>
    checks.filter((check) => check.result === result).map(({ check }) => check);
  return { failed: of('failed'), warned: of('warning'), roles, stated: statedRoles.length };
}

const extension = (id: string, value: Uint8Array) => new x509.Extension(id, false, value);
const statements = (...parts: readonly Uint8Array[]) => [extension(OID.qcStatements, derSequence(parts))];
const psd2 = encodePsd2Statement({
  roles: [{ oid: ROLE_OIDS.PSP_AI, name: 'PSP_AI' }],
  ncaName: 'Authority',
  ncaId: 'DK-DFSA',
});
const web = encodeQcType([OID.qcTypeWeb]);
const compliance = encodeQcCompliance();
const purposes = (...ids: string[]) => [new x509.ExtendedKeyUsageExtension(ids)];

/** A PSD2 statement with one role and any elements in place of name, nCAName and nCAId. */
function psd2With(name: Uint8Array, ncaName: Uint8Array, ncaId: Uint8Array): Uint8Array {
  const role = derSequence([derOid('0.4.0.19495.1.3'), name]);
  return derSequence([derOid(OID.psd2Statement), derSequence([derSequence([role]), ncaName, ncaId])]);
}

const text = (tag: number, value: string) => derElement(tag, Buffer.from(value));
const utf8 = (value: string) => text(TAG.utf8String, value);

// libs/issuing/test/mint-faults.test.ts has a refused certificate for every check.
describe('ETSI EN 319 412-4, -5 and TS 119 495: the leaf by itself', () => {
  it('passes a conforming certificate and grants its roles', async () => {
    expect(await judge()).toEqual({ failed: [], warned: [], roles: ['PSP_PI', 'PSP_AI'], stated: 2 });
  });

  it('passes one with an organizationIdentifier of 256 characters, of whatever letters', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-Æ'.padEnd(256, '1');
    expect(await judge({ organizationIdentifier })).toMatchObject({ failed: [], warned: [] });
  });

  it.each([
    ['refuses', 'half of a pair', [0xd8, 0x00], 'failed'],
    ['passes', 'a whole character', [0xd7, 0xff], 'passed'],
  ])('%s an organizationIdentifier in UTF-16 that begins with %s', async (_does, _what, bytes, result) => {
    const organizationIdentifier = 'PSDDK-DFSA-12345';
    const { chain } = await testQwac({ issuer, organizationName: 'Leaf ApS', organizationIdentifier });
    const leaf = Buffer.from(chain[0]!);
    const at = leaf.indexOf(organizationIdentifier);
    leaf.set([TAG.bmpString], at - 2);
    leaf.set(bytes, at);
    expect(checkQwac(readCertificate(leaf)).checks).toContainEqual(
      expect.objectContaining({ check: 'organization-identifier', result }),
    );
  });

  it.each<[string, () => Change, CheckId]>([
    [
      'with an empty QcType',
      () => ({ extensions: statements(compliance, encodeQcType([]), psd2) }),
      'qc-type',
    ],
    [
      'with anyExtendedKeyUsage',
      () => ({ extensions: purposes(OID.anyExtendedKeyUsage) }),
      'leaf-extended-key-usage',
    ],
    [
      'with an empty organizationIdentifier',
      () => ({ organizationIdentifier: ' ' }),
      'organization-identifier',
    ],
    ...['\0', '\n', '\u009b', '\u200b', '\u202e'].map((character): [string, () => Change, CheckId] => [
      `with ${JSON.stringify(character)} in its organizationIdentifier`,
      () => ({ organizationIdentifier: `PSDDK-DFSA-1${character}2` }),
      'organization-identifier',
    ]),
    [
      'with an organizationIdentifier of 257 characters',
      () => ({ organizationIdentifier: 'PSDDK-DFSA-'.padEnd(257, '1') }),
      'organization-identifier',
    ],
  ])('refuses a certificate %s', async (_, change, check) => {
    const { failed, roles } = await judge(change());
    expect({ failed: failed.filter((id) => !id.startsWith('organization-identifier-')), roles }).toEqual({
      failed: [check],
      roles: [],
    });
  });

  it.each<[string, () => Uint8Array]>([
    [
      'a role name that is a PrintableString',
      () => psd2With(text(TAG.printableString, 'PSP_AI'), utf8('A'), utf8('DK-DFSA')),
    ],
    ['nCAId that is an IA5String', () => psd2With(utf8('PSP_AI'), utf8('A'), text(TAG.ia5String, 'DK-DFSA'))],
    ['nCAName of 257 characters', () => psd2With(utf8('PSP_AI'), utf8('Å'.repeat(257)), utf8('DK-DFSA'))],
    ['nCAName that is an integer', () => psd2With(utf8('PSP_AI'), Buffer.of(2, 1, 1), utf8('DK-DFSA'))],
    [
      'an object identifier that is not minimal',
      () => psd2With(utf8('PSP_AI'), utf8('A'), Buffer.of(0x06, 2, 0x80, 1)),
    ],
    [
      'nCAName that is not UTF-8',
      () => psd2With(utf8('PSP_AI'), derElement(TAG.utf8String, Buffer.of(0xff)), utf8('DK-DFSA')),
    ],
    ['no information', () => derSequence([derOid(OID.psd2Statement)])],
    [
      'one element too many',
      () =>
        derSequence([
          derOid(OID.psd2Statement),
          derSequence([derSequence([]), utf8('A'), utf8('DK-A'), utf8('x')]),
        ]),
    ],
  ])('refuses a PSD2 statement with %s for its form', async (_, statement) => {
    const { failed } = await judge({ extensions: statements(compliance, web, statement()) });
    expect(failed).toEqual(['psd2-form']);
  });

  it('tells another broken statement from the PSD2 one', async () => {
    const limit = derSequence([derOid('0.4.0.1862.1.2'), derElement(TAG.integer, Buffer.of(0, 1))]);
    expect((await judge({ extensions: statements(compliance, web, limit, psd2) })).failed).toEqual([
      'qc-statements',
    ]);
  });

  it('accepts nCAName of 256 characters, however many octets they take', async () => {
    const statement = psd2With(utf8('PSP_AI'), utf8('Å'.repeat(256)), utf8('DK-DFSA'));
    expect(await judge({ extensions: statements(compliance, web, statement) })).toMatchObject({ failed: [] });
  });

  it.each<[string, TestRole[], CheckId[]]>([
    [
      'a known name under an unknown identifier',
      [{ oid: '1.2.3.4', name: 'PSP_AI' }, 'PSP_PI'],
      ['psd2-role-names'],
    ],
    [
      'another name under a known identifier',
      [{ oid: '0.4.0.19495.1.3', name: 'psp_ai' }],
      ['psd2-role-names'],
    ],
    ['an unknown role beside a known one', [{ oid: '0.4.0.19495.1.51', name: 'VOP_RS' }, 'PSP_PI'], []],
  ])('judges %s', async (_, roles, expected) => {
    expect((await judge({ roles })).failed).toEqual(expected);
  });

  it.each([
    ['0.4.0.19495.1.0', 'Unspecified'],
    ['0.4.0.19495.1.5', 'PSP_CB'],
    ['0.4.0.19495.1.6', 'PSP_PA'],
    ['0.4.0.19495.1.51', 'VOP_RS'],
    ['0.4.0.19495.1.52', 'VOP_VS'],
  ])('TS 119 495 V1.8.1 annex A: %s is %s, under no other name, and grants nothing', async (oid, name) => {
    const both = async (role: TestRole) => {
      const { failed, roles } = await judge({ roles: [role, 'PSP_AI'] });
      return { failed, roles };
    };
    expect(await both({ oid, name })).toEqual({ failed: [], roles: ['PSP_AI'] });
    expect(await both({ oid, name: 'PSP' })).toEqual({ failed: ['psd2-role-names'], roles: [] });
    expect(await both({ oid: '1.2.3.4', name })).toEqual({ failed: ['psd2-role-names'], roles: [] });
  });

  it("EN 319 412-5 §4.2.4: warns when the law that qualifies it is not the EU's", async () => {
    const legislation = (...countries: string[]) =>
      derSequence([
        derOid(OID.qcLegislation),
        derSequence(countries.map((country) => text(TAG.printableString, country))),
      ]);
    const { chain } = await testQwac({
      issuer,
      organizationName: 'Leaf Ltd',
      organizationIdentifier: 'PSDGB-FCA-1',
      ncaId: 'GB-FCA',
      extensions: statements(compliance, web, legislation('GB', 'CH'), psd2),
    });
    const { checks } = checkQwac(readCertificate(chain[0]!));
    expect(
      checks.find(({ check, result }) => check === 'qc-compliance' && result === 'warning'),
    ).toMatchObject({
      evidence: 'QcCClegislation: qualified by the law of GB, CH, not of the EU',
    });
  });

  it('EN 319 412-5 §4.2.2, §4.3: statements that say nothing about the role stand beside the others', async () => {
    const others = [
      derSequence([derOid('0.4.0.1862.1.4')]),
      derSequence([derOid('0.4.0.1862.1.3'), derElement(TAG.integer, Buffer.of(10))]),
      derSequence([derOid('1.3.6.1.5.5.7.11.2'), derSequence([derOid('0.4.0.194121.1.2')])]),
    ];
    expect(await judge({ extensions: statements(compliance, web, ...others, psd2) })).toMatchObject({
      failed: [],
      roles: ['PSP_AI'],
    });
  });

  it('grants nothing for a role that is only read', async () => {
    const { roles, stated } = await judge({ roles: ['PSP_AS', 'PSP_PI', 'PSP_IC'] });
    expect({ roles, stated }).toEqual({ roles: ['PSP_PI'], stated: 3 });
  });
});

describe('a certificate with a warning', () => {
  it('has identifiers of another form', async () => {
    const odd = { organizationIdentifier: 'VATDK-12345678', ncaId: 'DFSA' };
    const checks = ['organization-identifier-form', 'nca-id-form', 'nca-agreement'];
    expect(await judge(odd)).toMatchObject({ failed: [], warned: checks, roles: ['PSP_PI', 'PSP_AI'] });
  });

  it('names no certificate policy', async () => {
    expect((await judge({ without: [OID.certificatePolicies] })).warned).toEqual(['leaf-policy']);
  });
});

describe('evidence', () => {
  it('is bounded and cannot steer a terminal, whatever a certificate says', async () => {
    const name = `\u001B[2J\u202E${'A'.repeat(250)}`;
    const roles = Array.from({ length: 40 }, (_, i) => ({ oid: `1.2.3.${i}`, name }));
    const { chain } = await testQwac({
      issuer,
      organizationName: 'Leaf ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      roles,
    });
    const { checks } = checkQwac(readCertificate(chain[0]!));
    for (const { evidence } of checks) {
      expect(evidence).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(evidence.length).toBeLessThanOrEqual(501);
    }
  });
});
