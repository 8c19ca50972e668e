// Faults of the website certificate itself: form, key, signature algorithm, dates, extensions, subject.
import 'reflect-metadata';
import { derSequence, derUtf8String, OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { critical, daysAfter, type Fault, having, permittingDns, without } from './fault.ts';
import type { Draft } from './issue-certificate.ts';

/** An identifier from the arc of examples (RFC 7299 §2), which no validator knows. */
const UNKNOWN_EXTENSION = '1.3.6.1.4.1.32473.1';

const keyUsages = (flags: x509.KeyUsageFlags) => having(new x509.KeyUsagesExtension(flags, true));

/** The subject with other organizationIdentifiers: none, one or several. */
function identifiedBy(...identifiers: readonly string[]): (good: Draft) => Partial<Draft> {
  return ({ subject }) => {
    const others = subject.toJSON().filter((part) => !(OID.organizationIdentifier in part));
    const own = identifiers.map((text) => ({ [OID.organizationIdentifier]: [{ utf8String: text }] }));
    return { subject: new x509.Name([...others, ...own]) };
  };
}

function twice(type: string): (good: Draft) => Partial<Draft> {
  return ({ extensions }) => ({
    extensions: extensions.flatMap((extension) =>
      extension.type === type ? [extension, extension] : [extension],
    ),
  });
}

/** Faults that the leaf's own fields and extensions show, qcStatements aside, by name. */
export const CERTIFICATE_FAULTS = {
  expired: {
    summary: 'It expired yesterday.',
    check: 'validity',
    leaf: ({ notBefore }) => ({ notBefore: daysAfter(notBefore, -30), notAfter: daysAfter(notBefore, -1) }),
  },
  'not-yet-valid': {
    summary: 'It becomes valid in a week.',
    check: 'validity-begin',
    leaf: ({ notBefore, notAfter }) => ({
      notBefore: daysAfter(notBefore, 7),
      notAfter: daysAfter(notAfter, 7),
    }),
  },
  'generalized-time': {
    summary: 'Its dates are GeneralizedTime, which is for 2050 and later.',
    check: 'validity-form',
    leaf: () => ({ timeForm: 'generalized' }),
  },
  'trailing-bytes': {
    summary: 'A byte follows the certificate, so it is not DER.',
    check: 'encoding',
    afterSigning: (der) => Buffer.concat([der, Buffer.of(0)]),
  },
  v1: {
    summary: 'It says that it is of X.509 version 1.',
    check: 'version',
    leaf: () => ({ version: 1 }),
  },
  'zero-serial': {
    summary: 'Its serial number is zero.',
    check: 'serial-number',
    leaf: () => ({ serialNumber: Buffer.of(0) }),
  },
  'negative-serial': {
    summary: 'Its serial number is negative.',
    check: 'serial-number',
    leaf: ({ serialNumber }) => ({ serialNumber: Buffer.concat([Buffer.of(0x80), serialNumber]) }),
  },
  'long-serial': {
    summary: 'Its serial number has 21 octets, one more than allowed.',
    check: 'serial-number',
    leaf: ({ serialNumber }) => ({ serialNumber: Buffer.concat([Buffer.alloc(5, 0x41), serialNumber]) }),
  },
  sha1: {
    summary: 'It is signed with SHA-1.',
    check: 'signature-algorithm',
    leaf: () => ({ signatureAlgorithm: 'ecdsa-with-SHA1', outerAlgorithm: 'ecdsa-with-SHA1' }),
  },
  'two-algorithms': {
    summary: 'It names two different signature algorithms, inside and outside what is signed.',
    check: 'signature-algorithm',
    leaf: () => ({ outerAlgorithm: 'ecdsa-with-SHA384' }),
  },
  rsa1024: {
    summary: 'Its key is RSA of 1024 bits.',
    check: 'public-key',
    keyKind: 'RSA-1024',
  },
  'unsupported-curve': {
    summary: 'Its key is on the curve secp256k1.',
    check: 'public-key',
    keyKind: 'secp256k1',
  },
  'explicit-curve': {
    summary: 'Its key spells out the parameters of its curve instead of naming it.',
    check: 'public-key',
    keyKind: 'P-256 explicit',
  },
  ed25519: {
    summary: 'Its key is Ed25519.',
    check: 'public-key',
    keyKind: 'Ed25519',
  },
  'no-issuer-name': {
    summary: 'The name of its issuer is empty.',
    check: 'names',
    leaf: () => ({ issuerName: new x509.Name([]) }),
  },
  'no-subject': {
    summary: 'Its subject is empty, and its host names do not stand in for it.',
    check: 'names',
    also: ['organization-identifier'],
    leaf: () => ({ subject: new x509.Name([]) }),
  },
  'duplicate-extension': {
    summary: 'Its certificatePolicies extension stands twice.',
    check: 'extensions-unique',
    leaf: twice(OID.certificatePolicies),
  },
  'unknown-critical': {
    summary: 'It carries a critical extension that nobody knows.',
    check: 'extensions-critical',
    leaf: having(critical(UNKNOWN_EXTENSION, derUtf8String('unknown'))),
  },
  'malformed-extension': {
    summary: 'Its authorityInfoAccess is empty, where at least one description is demanded.',
    check: 'extension-form',
    leaf: having(new x509.Extension(OID.authorityInfoAccess, false, Uint8Array.from(derSequence([])))),
  },
  'critical-key-identifier': {
    summary: 'Its authorityKeyIdentifier is critical, which it must not be.',
    check: 'extension-form',
    leaf: ({ extensions }) => ({
      extensions: extensions.map((extension) =>
        extension.type === OID.authorityKeyIdentifier
          ? critical(extension.type, new Uint8Array(extension.value))
          : extension,
      ),
    }),
  },
  'no-authority-key-id': {
    summary: "It does not name its issuer's key (no authorityKeyIdentifier).",
    check: 'key-identifiers',
    leaf: without(OID.authorityKeyIdentifier),
  },
  'leaf-cert-sign': {
    summary: 'Its keyUsage lets it sign certificates (keyCertSign), but it is no CA.',
    check: 'key-usage',
    leaf: keyUsages(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign),
  },
  'leaf-name-constraints': {
    summary: 'It carries name constraints, which are for CAs.',
    check: 'name-constraints-place',
    leaf: having(permittingDns('example')),
  },
  'ca-certificate': {
    summary: 'It is the certificate of a CA.',
    check: 'end-entity',
    leaf: having(new x509.BasicConstraintsExtension(true, undefined, true)),
  },
  'no-key-usage': {
    summary: 'It carries no keyUsage.',
    check: 'leaf-key-usage',
    leaf: without(OID.keyUsage),
  },
  'no-digital-signature': {
    summary: 'Its keyUsage is keyEncipherment alone, without digitalSignature.',
    check: 'leaf-key-usage',
    leaf: keyUsages(x509.KeyUsageFlags.keyEncipherment),
  },
  'no-extended-key-usage': {
    summary: 'It carries no extKeyUsage.',
    check: 'leaf-extended-key-usage',
    leaf: without(OID.extendedKeyUsage),
  },
  'no-client-auth': {
    summary: 'It is for TLS servers only: its extKeyUsage lacks clientAuth.',
    check: 'leaf-extended-key-usage',
    leaf: having(new x509.ExtendedKeyUsageExtension([OID.serverAuth])),
  },
  'no-organization-identifier': {
    summary: 'Its subject carries no organizationIdentifier.',
    check: 'organization-identifier',
    leaf: identifiedBy(),
  },
  'two-organization-identifiers': {
    summary: 'Its subject carries two organizationIdentifiers.',
    check: 'organization-identifier',
    leaf: identifiedBy('PSDDK-DFSA-11111111', 'PSDDK-DFSA-22222222'),
  },
  'organization-identifier-form': {
    summary: 'Its organizationIdentifier is DK12345678, not of the form PSDcc-NCA-number.',
    check: 'organization-identifier-form',
    also: ['nca-agreement'],
    result: 'warning',
    leaf: identifiedBy('DK12345678'),
  },
  'no-policy': {
    summary: 'It names no certificate policy.',
    check: 'leaf-policy',
    result: 'warning',
    leaf: without(OID.certificatePolicies),
  },
} as const satisfies Readonly<Record<string, Fault>>;
