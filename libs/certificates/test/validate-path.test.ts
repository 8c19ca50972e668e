import 'reflect-metadata';
import { type TestAlgorithm, type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import {
  CertificateStore,
  type CheckId,
  derElement,
  derOid,
  derSequence,
  faultOfCompleteChain,
  OID,
  readCertificate,
  TAG,
  validatePath,
} from '../src/index.ts';
import { cpuTime } from './cpu-time.ts';

const organization = { organizationName: 'Path ApS', organizationIdentifier: 'PSDDK-DFSA-1' };
const read = (ders: readonly Uint8Array[]) => ders.map(readCertificate);

/** The check that failed, or `accepted`. */
function judge(options: {
  readonly chain: readonly Uint8Array[];
  readonly anchors: readonly TestCa[];
  readonly maxDepth?: number;
}): CheckId | 'accepted' {
  const [leaf, ...intermediates] = read(options.chain);
  const { accepted, checks } = validatePath({
    leaf: leaf!,
    intermediates,
    anchors: new CertificateStore(read(options.anchors.map(({ der }) => der))),
    at: new Date(),
    ...(options.maxDepth === undefined ? {} : { maxDepth: options.maxDepth }),
  });
  const failure = checks.find(({ result }) => result === 'failed');
  expect(accepted).toBe(failure === undefined);
  return failure?.check ?? 'accepted';
}

const critical = (id: string, value: Uint8Array) => new x509.Extension(id, true, value);

describe('RFC 5280 §6.1.3 (a)(1): signatures of every permitted algorithm', () => {
  it.each<TestAlgorithm>(['P-256', 'P-384', 'P-521', 'RSA-2048', 'RSA-PSS-2048'])(
    'accepts %s',
    async (algorithm) => {
      const root = await testCa({ name: 'Root', algorithm });
      const issuing = await testCa({ name: 'Issuing', issuer: root, algorithm });
      const { chain } = await testQwac({ ...organization, issuer: issuing, algorithm });
      expect(judge({ chain, anchors: [root] })).toBe('accepted');
    },
  );

  it('refuses a certificate of another CA with the same name', async () => {
    const root = await testCa({ name: 'Root' });
    const { chain } = await testQwac({ ...organization, issuer: await testCa({ name: 'Root' }) });
    expect(judge({ chain, anchors: [root] })).toBe('issuer');
  });
});

describe('RFC 5280 §6.1: building the path', () => {
  let root: TestCa;
  let issuing: TestCa;
  let policyCa: TestCa;
  let chain: readonly Uint8Array[];

  beforeAll(async () => {
    root = await testCa({ name: 'Root' });
    policyCa = await testCa({ name: 'Policy CA', issuer: root });
    issuing = await testCa({ name: 'Issuing', issuer: policyCa });
    ({ chain } = await testQwac({ ...organization, issuer: issuing }));
  });

  it('takes intermediates in any order, with the root and duplicates among them', () => {
    const [leaf, ...others] = chain;
    const shuffled = [leaf!, root.der, ...others.toReversed(), ...others];
    expect(judge({ chain: shuffled, anchors: [root] })).toBe('accepted');
  });

  it('takes an issuing CA as trust anchor', () => {
    expect(judge({ chain: chain.slice(0, 1), anchors: [issuing] })).toBe('accepted');
  });

  it('finds its way among a hundred decoys of the same name', async () => {
    const decoys = await Promise.all(
      Array.from({ length: 100 }, () => testCa({ name: 'Issuing', issuer: policyCa })),
    );
    const [leaf, ...others] = chain;
    const withDecoys = [leaf!, ...decoys.map(({ der }) => der), ...others];
    expect(judge({ chain: withDecoys, anchors: [root] })).toBe('accepted');
  });

  it('refuses a missing intermediate, an unknown root, and an incomplete loop', async () => {
    expect(judge({ chain: chain.slice(0, 2), anchors: [root] })).toBe('issuer');
    expect(judge({ chain: [...chain, root.der], anchors: [await testCa({ name: 'Other' })] })).toBe('issuer');
  });

  it('bounds the depth, and pathLenConstraint', async () => {
    expect(judge({ chain, anchors: [root], maxDepth: 2 })).toBe('accepted');
    expect(judge({ chain, anchors: [root], maxDepth: 1 })).toBe('path-depth');
    const narrow = await testCa({ name: 'Narrow', pathLength: 0 });
    const below = await testCa({ name: 'Below', issuer: narrow });
    const leaf = await testQwac({ ...organization, issuer: below });
    expect(judge({ chain: leaf.chain, anchors: [narrow] })).toBe('path-length');
  });

  it('gives up on a chain of a hundred CAs within its budget', async () => {
    let ca = root;
    for (let i = 0; i < 100; i += 1) ca = await testCa({ name: `Level ${i}`, issuer: ca });
    const leaf = await testQwac({ ...organization, issuer: ca });
    const start = cpuTime();
    expect(judge({ chain: leaf.chain, anchors: [root] })).toBe('path-depth');
    expect(cpuTime() - start).toBeLessThan(500);
  });

  it('stops after sixteen paths that anchors refuse', async () => {
    const names = new x509.Extension(
      OID.nameConstraints,
      true,
      derSequence([derElement(0xa1, derSequence([derElement(0x82, Buffer.from('example'))]))]),
    );
    const excluding = await testCa({ name: 'Excluding', issuer: root, extensions: [names] });
    const leaf = await testQwac({ ...organization, issuer: excluding });
    const again = () =>
      testCa({ name: 'Excluding', keys: excluding.keys, issuer: root, extensions: [names] });
    const twins = await Promise.all(Array.from({ length: 16 }, again));
    expect(judge({ chain: leaf.chain, anchors: [excluding] })).toBe('name-constraints');
    expect(judge({ chain: leaf.chain, anchors: [excluding, ...twins] })).toBe('work-limit');
  });

  it('refuses more certificates than the budget before reading on', () => {
    const many = [chain[0]!, ...Array.from({ length: 129 }, () => chain[1]!)];
    expect(judge({ chain: many, anchors: [root] })).toBe('work-limit');
  });
});

describe('RFC 5280 §4.2.1.12: a CA is used for the purposes it names', () => {
  it.each([
    ['clientAuth', OID.clientAuth, 'accepted'],
    ['serverAuth, as the CAs of website certificates do', OID.serverAuth, 'accepted'],
    ['anyExtendedKeyUsage', OID.anyExtendedKeyUsage, 'accepted'],
    ['only mail', '1.3.6.1.5.5.7.3.4', 'extended-key-usage'],
  ])('%s', async (_, purpose, expected) => {
    const root = await testCa({ name: 'Root', extensions: [new x509.ExtendedKeyUsageExtension(['1.2.3'])] });
    const restricted = new x509.ExtendedKeyUsageExtension([purpose]);
    const issuing = await testCa({ name: 'Issuing', issuer: root, extensions: [restricted] });
    const { chain } = await testQwac({ ...organization, issuer: issuing });
    expect(judge({ chain, anchors: [root] })).toBe(expected);
  });
});

describe('RFC 5280 §6.1.5 (g): policies, where a CA demands one', () => {
  const requireExplicit = critical('2.5.29.36', derSequence([derElement(0x80, Buffer.of(0))]));
  const policies = (...ids: string[]) =>
    new x509.Extension(
      OID.certificatePolicies,
      false,
      derSequence(ids.map((id) => derSequence([derOid(id)]))),
    );
  const mapping = (from: string, to: string) =>
    critical(OID.policyMappings, derSequence([derSequence([derOid(from), derOid(to)])]));

  async function judgePolicies(ca: readonly x509.Extension[], leaf: readonly x509.Extension[]) {
    const root = await testCa({ name: 'Root' });
    const issuing = await testCa({ name: 'Issuing', issuer: root, extensions: ca });
    const { chain } = await testQwac({
      ...organization,
      issuer: issuing,
      without: [OID.certificatePolicies],
      extensions: leaf,
    });
    return judge({ chain, anchors: [root] });
  }

  it.each([
    ['accepts a policy of the CA', [policies('1.2.3')], [policies('1.2.3')], 'accepted'],
    [
      'accepts any policy of the leaf under anyPolicy',
      [policies(OID.anyPolicy)],
      [policies('1.2.3')],
      'accepted',
    ],
    ['accepts anyPolicy of the leaf', [policies('1.2.3')], [policies(OID.anyPolicy)], 'accepted'],
    [
      'accepts a mapped policy',
      [policies('1.2.3'), mapping('1.2.3', '1.2.4')],
      [policies('1.2.4')],
      'accepted',
    ],
    [
      'refuses the policy that was mapped away',
      [policies('1.2.3'), mapping('1.2.3', '1.2.4')],
      [policies('1.2.3')],
      'policies',
    ],
    ['refuses another policy', [policies('1.2.3')], [policies('1.2.4')], 'policies'],
    ['refuses no policy', [policies('1.2.3')], [], 'policies'],
  ])('%s', async (_, ca, leaf, expected) => {
    expect(await judgePolicies([requireExplicit, ...ca], leaf)).toBe(expected);
  });

  it('asks for no policy where none is demanded', async () => {
    expect(await judgePolicies([policies('1.2.3')], [])).toBe('accepted');
  });

  it('honours inhibitAnyPolicy', async () => {
    const inhibit = critical(OID.inhibitAnyPolicy, derElement(TAG.integer, Buffer.of(0)));
    const ca = [requireExplicit, inhibit, policies('1.2.3')];
    expect(await judgePolicies(ca, [policies(OID.anyPolicy)])).toBe('policies');
  });
});

describe('the complete chain of POST /tpp/{clientId}/certificates (§4.2)', () => {
  it('is leaf to trust anchor in order, and each other form is told apart', async () => {
    const root = await testCa({ name: 'Root' });
    const issuing = await testCa({ name: 'Issuing', issuer: root });
    const impostor = await testCa({ name: 'Issuing', issuer: root });
    const qwac = await testQwac({ ...organization, issuer: issuing });
    const anchors = new CertificateStore(read([root.der]));
    const fault = (chain: readonly Uint8Array[]) => faultOfCompleteChain(read(chain), anchors)?.in('en');
    const [leaf] = qwac.chain;
    expect(fault([...qwac.chain, root.der])).toBeUndefined();
    expect(fault(qwac.chain)).toMatch(
      /last certificate is not a trust anchor: append the certificate of its issuer, .*Root.*, and/,
    );
    const other = await testCa({ name: 'Other' });
    const foreign = await testQwac({ ...organization, issuer: other });
    expect(fault([foreign.chain[0]!, other.der])).toMatch(/^The last certificate, .*Other.*does not trust/);
    expect(fault([leaf!, root.der])).toMatch(/Certificate 2 is not the issuer of certificate 1/);
    expect(fault([root.der, issuing.der, leaf!])).toMatch(/not the issuer/);
    expect(fault([leaf!, impostor.der, root.der])).toMatch(
      /Certificate 1 is not signed with the key of certificate 2/,
    );
    expect(fault([])).toMatch(/no certificate/);
  });
});
