import 'reflect-metadata';
import { encodePsd2Statement, OID, ROLE_OIDS } from '@kontoport/certificates';
import {
  certificatePem,
  type Draft,
  having,
  type Issued,
  type KeyKind,
  type KeyPair,
  mintCa,
  mintQwac,
  type PspRole,
  type Qwac,
  without,
} from '@kontoport/issuing';
import * as x509 from '@peculiar/x509';

const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Key and signature algorithm. RSA-PSS is with SHA-256, under an ordinary RSA key. */
export type TestAlgorithm = Extract<KeyKind, 'P-256' | 'P-384' | 'P-521' | 'RSA-2048'> | 'RSA-PSS-2048';

const keyKindOf = (algorithm: TestAlgorithm): KeyKind =>
  algorithm === 'RSA-PSS-2048' ? 'RSA-2048' : algorithm;

/** A certification authority made for one run; its private key exists in memory only. */
export interface TestCa extends Issued {
  readonly keys: KeyPair;
  readonly rootPem: string;
}

/** A website certificate with its key and the chain that a client presents. */
export interface TestQwac extends Qwac {
  readonly certificate: x509.X509Certificate;
  readonly certificatePem: string;
  /** Leaf to root as PEM, for POST /tpp/{clientId}/certificates. */
  readonly fullChainPem: string;
}

/**
 * Makes a CA: self-signed, or under `issuer`. Default validity: from one day ago for ten years. `pathLength` is the
 * number of CAs allowed beneath it; `keys` are those of another CA, for its second certificate.
 */
export async function testCa(options: {
  readonly name: string;
  readonly issuer?: TestCa;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly algorithm?: TestAlgorithm;
  readonly pathLength?: number;
  readonly keys?: KeyPair;
  readonly extensions?: readonly x509.Extension[];
}): Promise<TestCa> {
  const {
    algorithm = 'P-256',
    notBefore = ago(1),
    notAfter = ago(-3_650),
    extensions = [],
    ...rest
  } = options;
  const signatureAlgorithm =
    algorithm === 'RSA-PSS-2048' ? ({ signatureAlgorithm: 'RSASSA-PSS with SHA-256' } as const) : {};
  let keys: KeyPair | undefined;
  const ca = await mintCa({
    ...rest,
    organization: rest.name,
    ...(rest.issuer ? {} : signatureAlgorithm),
    at: new Date(),
    keyKind: keyKindOf(algorithm),
    change: (good) => {
      keys = { publicKey: good.publicKey, privateKey: good.privateKey! };
      return { notBefore, notAfter, extensions: [...good.extensions, ...extensions] };
    },
  });
  return { ...ca, ...signatureAlgorithm, keys: keys!, rootPem: rest.issuer?.rootPem ?? ca.certificatePem };
}

/** A role of TS 119 495 by its name, or any pair of identifier and name. */
export type TestRole = PspRole | { readonly oid: string; readonly name: string };

const stated = (role: TestRole) => (typeof role === 'object' ? role : { oid: ROLE_OIDS[role], name: role });

/** National competent authority of an organizationIdentifier in the form PSDcc-NCA-number. */
const authorityOf = (organizationIdentifier: string): string =>
  /^PSD([A-Z]{2}-[A-Z]{2,8})-/.exec(organizationIdentifier)?.[1] ?? 'DK-DFSA';

/** Fields of a QWAC; default validity: from one hour ago for 90 days, with both roles. */
export interface TestQwacOptions {
  readonly issuer: TestCa;
  readonly organizationName: string;
  readonly organizationIdentifier: string;
  readonly commonName?: string;
  readonly roles?: readonly TestRole[];
  readonly ncaName?: string;
  readonly ncaId?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly algorithm?: TestAlgorithm;
  /** They replace those of the same type. */
  readonly extensions?: readonly x509.Extension[];
  /** Types of extensions that are left out. */
  readonly without?: readonly string[];
}

/** Fields of the leaf, well-formed or not. */
function leafOf(options: TestQwacOptions, commonName: string): (good: Draft) => Partial<Draft> {
  const { organizationName, organizationIdentifier } = options;
  const changes = [...(options.without ?? []).map(without), having(...(options.extensions ?? []))];
  return (good) => ({
    ...changes.reduce((draft, change) => ({ ...draft, ...change(draft) }), good),
    subject: new x509.Name([
      { C: [/^PSD([A-Z]{2})/.exec(organizationIdentifier)?.[1] ?? 'DK'] },
      { O: [organizationName] },
      { [OID.organizationIdentifier]: [organizationIdentifier] },
      { CN: [commonName] },
    ]),
    notBefore: options.notBefore ?? ago(1 / 24),
    notAfter: options.notAfter ?? ago(-90),
  });
}

/** Mints a QWAC under `issuer` with these fields. */
export async function testQwac(options: TestQwacOptions): Promise<TestQwac> {
  const { issuer, commonName = 'tpp.example', roles = ['PSP_PI', 'PSP_AI'] } = options;
  const psd2 = encodePsd2Statement({
    roles: roles.map(stated),
    ncaName: options.ncaName ?? 'Danish Financial Supervisory Authority',
    ncaId: options.ncaId ?? authorityOf(options.organizationIdentifier),
  });
  const qwac = await mintQwac({
    request: {
      name: 'Test TPP',
      organizationIdentifier: 'PSDDK-DFSA-1',
      roles: ['PSP_AI'],
      days: 90,
      dnsName: commonName,
    },
    issuer,
    at: new Date(),
    fault: {
      keyKind: keyKindOf(options.algorithm ?? 'P-256'),
      statements: ({ compliance, type, disclosure }) => [compliance, type, disclosure, psd2],
      leaf: leafOf(options, commonName),
    },
  });
  const leaf = qwac.chain[0]!;
  return {
    ...qwac,
    certificate: new x509.X509Certificate(Uint8Array.from(leaf)),
    certificatePem: certificatePem(leaf),
    fullChainPem: qwac.chainPem + issuer.rootPem,
  };
}
