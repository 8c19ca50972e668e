import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  CertificateStore,
  derElement,
  derOid,
  derSequence,
  derUtf8String,
  OID,
  PATH_LIMITS,
  readCertificate,
  TAG,
  verdict,
} from '../src/index.ts';
import { cpuTime } from './cpu-time.ts';
import {
  algorithm,
  caExtensions,
  commonName,
  extension,
  handmade,
  integer,
  leafExtensions,
  oddNumber,
  rsaKey,
} from './handmade.ts';

const [nameA, nameB] = [commonName('A'), commonName('B')];
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const id = (i: number) => derOid(`1.2.3.${100_000 + i}`);

/** A leaf under A with more extensions. */
const leafWith = (...extensions: readonly Uint8Array[]) =>
  handmade({ issuer: nameA, subject: nameB, extensions: [...leafExtensions, ...extensions] });

const named = (subject: Uint8Array) => handmade({ issuer: nameA, subject, extensions: leafExtensions });

/** A chain with as many CAs called A as may be presented, none of which signed the leaf. */
function amongDecoys(leaf: Uint8Array, makeKey: () => Uint8Array): readonly Uint8Array[] {
  const decoy = () => handmade({ issuer: nameB, subject: nameA, extensions: caExtensions, spki: makeKey() });
  return [leaf, ...times(PATH_LIMITS.intermediates, decoy)];
}

const ecKey = (namedCurve: string) => () =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'der' });

const altNames = (names: readonly Uint8Array[]) => extension(OID.subjectAltName, derSequence(names));
const uri = (text: string) => derElement(0x86, Buffer.from(text));
const excluding = (bases: readonly Uint8Array[]) =>
  extension(
    OID.nameConstraints,
    derSequence([derElement(0xa1, Buffer.concat(bases.map((base) => derSequence([base]))))]),
    true,
  );

/** A root called A that excludes 4000 hosts. */
const excludingRoot = () =>
  handmade({
    issuer: nameA,
    subject: nameA,
    extensions: [...caExtensions, excluding(times(4000, (i) => uri(`x${i}.example`)))],
  });

function nested(depth: number): Uint8Array {
  let der: Uint8Array = Buffer.of(TAG.null, 0);
  for (let i = 0; i < depth; i += 1) der = derSequence([der]);
  return der;
}

function judge(chain: readonly Uint8Array[], anchors: readonly Uint8Array[] = []) {
  const store = new CertificateStore(anchors.map((der) => readCertificate(der)));
  const start = cpuTime();
  const { accepted, failure } = verdict(chain, { anchors: store, at: new Date() });
  return { accepted, check: failure?.message.split(':')[0], milliseconds: cpuTime() - start };
}

interface WorstCase {
  readonly chain: () => readonly Uint8Array[];
  readonly anchors?: () => readonly Uint8Array[];
  readonly check: string;
}

const sha256WithRsa = algorithm('1.2.840.113549.1.1.11', Buffer.of(TAG.null, 0));
const rsaSigned = () =>
  handmade({
    issuer: nameA,
    subject: nameB,
    extensions: leafExtensions,
    algorithm: sha256WithRsa,
    signature: randomBytes(1024),
  });

const worstCases: Readonly<Record<string, WorstCase>> = {
  '128 issuers of RSA 8192 with the largest exponent': {
    chain: () =>
      amongDecoys(rsaSigned(), () => rsaKey(oddNumber(8192), Buffer.from('7fffffffffffffff', 'hex'))),
    check: 'signature',
  },
  '128 issuers of P-521': { chain: () => amongDecoys(leafWith(), ecKey('P-521')), check: 'signature' },
  'eight levels of sixteen CAs with the same names and keys': {
    chain: () => [
      handmade({ issuer: commonName('0'), subject: nameB, extensions: leafExtensions }),
      ...times(128, (i) =>
        handmade({
          issuer: commonName(`${(i >> 4) + 1}`),
          subject: commonName(`${i >> 4}`),
          extensions: caExtensions,
        }),
      ),
    ],
    check: 'work-limit',
  },
  'an RSA modulus of 60 kilobytes': {
    chain: () => [
      handmade({
        issuer: nameA,
        subject: nameB,
        extensions: leafExtensions,
        spki: rsaKey(oddNumber(480_000), Buffer.of(3)),
      }),
    ],
    check: 'public-key',
  },
  'an RSA exponent as long as its modulus': {
    chain: () => [
      handmade({
        issuer: nameA,
        subject: nameB,
        extensions: leafExtensions,
        spki: rsaKey(oddNumber(4096), Buffer.concat([Buffer.of(0), oddNumber(4096)])),
      }),
    ],
    check: 'public-key',
  },
  'an integer of 90 kilobytes': {
    chain: () => [leafWith(extension(OID.inhibitAnyPolicy, integer(Buffer.alloc(90_000, 1)), true))],
    check: 'extension-form',
  },
  'twenty thousand nested sequences': { chain: () => [nested(20_000)], check: 'encoding' },
  'an object identifier of 90 kilobytes': {
    chain: () => [
      leafWith(extension(OID.extendedKeyUsage, derSequence([derElement(6, Buffer.alloc(90_000, 1))]))),
    ],
    check: 'extension-form',
  },
  '4000 critical extensions': {
    chain: () => [leafWith(...times(4000, (i) => extension(`1.2.3.${i}`, Buffer.of(5, 0), true)))],
    check: 'extensions-critical',
  },
  '8000 statements': {
    chain: () => [
      leafWith(extension(OID.qcStatements, derSequence(times(8000, (i) => derSequence([id(i)]))))),
    ],
    check: 'issuer',
  },
  '4000 roles': {
    chain: () => {
      const roles = derSequence(times(4000, (i) => derSequence([id(i), derUtf8String('x')])));
      const info = derSequence([roles, derUtf8String('a'), derUtf8String('b')]);
      return [
        leafWith(extension(OID.qcStatements, derSequence([derSequence([derOid(OID.psd2Statement), info])]))),
      ];
    },
    check: 'issuer',
  },
  '8000 policies': {
    chain: () => [
      leafWith(extension(OID.certificatePolicies, derSequence(times(8000, (i) => derSequence([id(i)]))))),
    ],
    check: 'issuer',
  },
  'a name of 45,000 combining marks': {
    chain: () => [named(commonName('\u0301\u0316'.repeat(22_500)))],
    check: 'issuer',
  },
  'a name of 95,000 control characters': {
    chain: () => [named(commonName('\u0001'.repeat(95_000)))],
    check: 'issuer',
  },
  'ten issuers with names of 95,000 control characters': {
    chain: () => {
      const name = commonName('\u0001'.repeat(45_000));
      const leaf = handmade({ issuer: name, subject: nameB, extensions: leafExtensions });
      return [leaf, ...times(10, () => handmade({ issuer: name, subject: name, extensions: caExtensions }))];
    },
    check: 'issuer',
  },
  'a hundred certificates of 80 kilobytes': {
    chain: () => times(100, () => leafWith(altNames(times(5000, (i) => uri(`https://a${i}.b/`))))),
    check: 'work-limit',
  },
  'a URI of 90 kilobytes against 4000 constraints': {
    chain: () => [leafWith(altNames([uri(`https://${'a'.repeat(90_000)}.b/`)]))],
    anchors: () => [excludingRoot()],
    check: 'work-limit',
  },
  'sixty URIs against 4000 constraints of each of sixteen roots': {
    chain: () => [leafWith(altNames(times(60, (i) => uri(`https://${'a'.repeat(60)}.b${i}.example/`))))],
    anchors: () => times(16, excludingRoot),
    check: 'leaf-key-usage',
  },
};

/** Generous: the slowest case takes a fifth of it on one core. */
const budget = 1500;

describe('the work for one verdict is bounded, whatever is presented', () => {
  for (const [title, { chain, anchors, check }] of Object.entries(worstCases))
    it(`answers ${title}`, () => {
      const result = judge(chain(), anchors?.());
      expect(result).toMatchObject({ accepted: false, check });
      expect(result.milliseconds).toBeLessThan(budget);
    });
});
