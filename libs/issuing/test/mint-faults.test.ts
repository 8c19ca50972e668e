import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, CHECKS, openVerifier, splitCertificates, type Verifier } from '@kontoport/certificates';
import {
  type Deviation,
  ensureSandboxCa,
  type Fault,
  type FaultName,
  FAULTS,
  type Issuer,
  mintQwac,
  type QwacRequest,
  readIssuer,
} from '../src/index.ts';

const REQUEST: QwacRequest = {
  name: 'Fejl & Mangler ApS',
  organizationIdentifier: 'PSDDK-DFSA-27541826',
  roles: ['PSP_AI', 'PSP_PI'],
  days: 30,
};

/** Required evidence of the first failure or warning, so that a failure for another reason does not pass. */
const EVIDENCE: Readonly<Record<FaultName, RegExp>> = {
  expired: /^leaf fejl.*: expired at/,
  'not-yet-valid': /^leaf fejl.*: not valid before/,
  'generalized-time': /^leaf .*before 2050 is not a UTCTime/,
  'trailing-bytes': /^certificate 1 of 2: 1 trailing bytes/,
  v1: /^leaf .*: version 1/,
  'zero-serial': /serial number is zero/,
  'negative-serial': /serial number is negative/,
  'long-serial': /serial number has 21 octets/,
  sha1: /^leaf .*: SHA-1 signature \(ecdsa-with-SHA1\)/,
  'two-algorithms': /signature and signatureAlgorithm differ/,
  rsa1024: /^leaf .*: RSA 1024 bits/,
  'unsupported-curve': /none of P-256, P-384, P-521: 1\.3\.132\.0\.10/,
  'explicit-curve': /none of P-256, P-384, P-521: explicit parameters/,
  ed25519: /public key algorithm 1\.3\.101\.112/,
  'no-issuer-name': /issuer is empty/,
  'no-subject': /subject is empty and subjectAltName is not critical/,
  'duplicate-extension': /2\.5\.29\.32 stands twice/,
  'unknown-critical': /critical and unknown: 1\.3\.6\.1\.4\.1\.32473\.1/,
  'malformed-extension': /authorityInfoAccess: access descriptions is empty/,
  'critical-key-identifier': /authorityKeyIdentifier is critical/,
  'no-authority-key-id': /^leaf .*: no authorityKeyIdentifier/,
  'leaf-cert-sign': /^leaf .*: keyCertSign without cA/,
  'leaf-name-constraints': /name constraints in a certificate that is no CA/,
  'ca-certificate': /it is a CA certificate/,
  'no-key-usage': /no keyUsage/,
  'no-digital-signature': /keyEncipherment: no digitalSignature/,
  'no-extended-key-usage': /no extKeyUsage/,
  'no-client-auth': /extKeyUsage serverAuth \(1\.3\.6\.1\.5\.5\.7\.3\.1\): no clientAuth/,
  'no-organization-identifier': /no organizationIdentifier/,
  'two-organization-identifiers': /more than one organizationIdentifier/,
  'organization-identifier-form': /DK12345678: not PSDcc-NCA-number/,
  'no-policy': /no certificate policy/,
  'no-qc-statements': /no QcCompliance/,
  'duplicate-statement': /0\.4\.0\.1862\.1\.1 stands twice/,
  'no-qc-compliance': /no QcCompliance/,
  seal: /not web only: eseal \(0\.4\.0\.1862\.1\.6\.2\)$/,
  sign: /not web only: esign \(0\.4\.0\.1862\.1\.6\.1\)$/,
  'no-qc-type': /no QcType/,
  'two-qc-types': /not web only: web \(0\.4\.0\.1862\.1\.6\.3\), eseal \(0\.4\.0\.1862\.1\.6\.2\)$/,
  'no-psd2-statement': /no PSD2 QcStatement/,
  'non-minimal-der': /not DER: length is not in its minimal form/,
  'nca-not-utf8': /nCAName or nCAId is not a UTF8String/,
  'empty-nca-name': /a string is empty/,
  'no-roles': /no roles/,
  'duplicate-role': /role 0\.4\.0\.19495\.1\.3 stands twice/,
  'role-mismatch': /0\.4\.0\.19495\.1\.3 is PSP_AI, not "PSP_PI"/,
  'unknown-role': /neither PSP_AI nor PSP_PI: PSP_XX/,
  'other-roles': /neither PSP_AI nor PSP_PI: PSP_AS .*PSP_IC/,
  'qc-type-as-statement': /QcType OID used as a statement/,
  'nca-id-form': /DFSA: not cc-NCA/,
  'nca-mismatch': /PSDDK-DFSA-27541826 and SE-FINA name two authorities/,
  'wrong-issuer': /ends with Stranger CA, which is not trusted/,
  'self-signed': /^fejl.* is signed by itself, and not trusted/,
  'missing-intermediate': /no certificate of Kontoport Sandbox QWAC CA/,
  forged: /^fejl.* by intermediate Kontoport Sandbox QWAC CA: does not verify/,
  'bad-signature': /^fejl.* by intermediate Kontoport Sandbox QWAC CA: does not verify/,
  'expired-issuer': /^intermediate .*: expired at/,
  'no-ca-flag': /^intermediate .*: basicConstraints says it is no CA/,
  'ca-flag-not-critical': /^intermediate .*: basicConstraints of a CA is not critical/,
  'no-cert-sign': /^intermediate .*: CA without keyCertSign/,
  'no-subject-key-id': /^intermediate .*: CA without subjectKeyIdentifier/,
  'weak-issuer-key': /^intermediate .*: RSA 1024 bits/,
  'mail-ca': /CA with a fault is a CA for other purposes: 1\.3\.6\.1\.5\.5\.7\.3\.4/,
  'path-length': /CA with a fault is one CA more than allowed above it/,
  'too-deep': /more than 8 intermediate CAs/,
  'too-many-certificates': /130 certificates presented/,
  'name-constraints': /dNSName fejl-mangler-aps\.example is in no permitted subtree/,
  'no-valid-policy': /a CA demands an explicit policy/,
};

/** Checks that no minted certificate can fail: they need a CRL or an OCSP responder. */
const OUT_OF_REACH = ['revocation', 'revocation-list', 'revocation-status', 'revocation-source'];

const names = Object.keys(FAULTS) as FaultName[];
const faults = names.map((name): [FaultName, Fault] => [name, FAULTS[name]]);
const at = new Date();

let folder: string;
let root: Issuer;
let issuer: Issuer;
let verifier: Verifier;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-faults-'));
  const trustAnchors = join(folder, 'trust-anchors');
  const ca = await ensureSandboxCa({ folder: join(folder, 'ca'), trustAnchors, at });
  [root, issuer] = await Promise.all([readIssuer(ca.root), readIssuer(ca.issuingCa)]);
  verifier = await openVerifier({ trustAnchors });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const mint = (request: QwacRequest, fault: Deviation) => mintQwac({ request, fault, issuer, root, at });
const judge = (chainPem: string) =>
  verifier.verify(splitCertificates(Buffer.from(chainPem), { maxCertificates: 200 }), at);
const having = (checks: readonly Check[], result: Check['result']) =>
  checks.filter((check) => check.result === result);
const idsOf = (checks: readonly Check[]) => [...new Set(checks.map(({ check }) => check))];

describe('a QWAC with a named fault', () => {
  it('differs from one that is accepted without failure or warning', async () => {
    const { chainPem } = await mintQwac({ request: REQUEST, issuer, at });
    const { accepted, checks } = judge(chainPem);
    expect({ accepted, other: checks.filter(({ result }) => result !== 'passed') }).toEqual({
      accepted: true,
      other: [],
    });
  });

  it('is as good as that one when nothing deviates', async () => {
    const { chainPem } = await mint(REQUEST, {});
    expect(judge(chainPem)).toMatchObject({ accepted: true, warnings: [] });
  });

  it.each(faults.filter(([, { result }]) => result === undefined))(
    '%s is refused for that reason and no other',
    async (name, fault) => {
      const { chainPem } = await mint(REQUEST, fault);
      const { accepted, checks, failure, roles } = judge(chainPem);
      const failed = having(checks, 'failed');
      expect({ accepted, roles, failed: idsOf(failed) }).toEqual({
        accepted: false,
        roles: [],
        failed: [fault.check, ...(fault.also ?? [])],
      });
      expect(failed[0]!.evidence).toMatch(EVIDENCE[name]);
      expect(failure!.message.startsWith(`${fault.check}: `)).toBe(true);
    },
  );

  it.each(faults.filter(([, { result }]) => result === 'warning'))(
    '%s is accepted with that warning and no other',
    async (name, fault) => {
      const { chainPem } = await mint(REQUEST, fault);
      const { accepted, checks, warnings } = judge(chainPem);
      expect({ accepted, failed: having(checks, 'failed'), warnings: idsOf(warnings) }).toEqual({
        accepted: true,
        failed: [],
        warnings: [fault.check, ...(fault.also ?? [])],
      });
      expect(warnings[0]!.evidence).toMatch(EVIDENCE[name]);
    },
  );

  it('that lies above the leaf cannot be minted without the root', async () => {
    const fault = FAULTS['no-ca-flag'];
    await expect(mintQwac({ request: REQUEST, fault, issuer, at })).rejects.toThrow('it needs the root');
  });

  it('exists for every check that a certificate can fail', () => {
    const covered = new Set<string>([...faults.map(([, { check }]) => check), ...OUT_OF_REACH]);
    expect(Object.keys(CHECKS).filter((check) => !covered.has(check))).toEqual([]);
  });

  it('is told by the errorCode that its check has', async () => {
    const codeOf = async (name: FaultName) => {
      const { chainPem } = await mint(REQUEST, FAULTS[name]);
      return judge(chainPem).failure?.errorCode;
    };
    expect(await codeOf('expired')).toBe('CERTIFICATE_EXPIRED');
    expect(await codeOf('other-roles')).toBe('ROLE_INVALID');
    expect(await codeOf('seal')).toBe('CERTIFICATE_INVALID');
  });

  it('holds in its chain what it needs, whatever the request', async () => {
    const request: QwacRequest = {
      name: 'Söta Lån AB',
      organizationIdentifier: 'PSDSE-FINA-5561234567',
      roles: ['PSP_PI'],
      days: 1,
      dnsName: 'tpp.example',
    };
    for (const name of ['nca-mismatch', 'role-mismatch', 'not-yet-valid', 'path-length'] as const) {
      const { chainPem } = await mint(request, FAULTS[name]);
      const [first] = judge(chainPem).checks.filter(({ result }) => result !== 'passed');
      expect(first!.check).toBe(FAULTS[name].check);
    }
  });
});
