// Faults above the leaf: its issuers, the chain that is presented, the signature.
import 'reflect-metadata';
import { generateKeyPairSync } from 'node:crypto';
import { DEFAULT_MAX_DEPTH, derElement, derSequence, OID, PATH_LIMITS } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import {
  critical,
  daysAfter,
  type Fault,
  FAULTY_CA,
  having,
  issuedUnderRoot,
  permittingDns,
  rootOf,
  without,
} from './fault.ts';
import { derOf, type Issuer, presentedWith } from './issue-certificate.ts';
import { mintCa } from './mint-ca.ts';

const REQUIRE_EXPLICIT_POLICY_NOW = derSequence([derElement(0x80, Buffer.of(0))]);

/** Faults of the path (RFC 5280 §6), by name. */
export const PATH_FAULTS = {
  'wrong-issuer': {
    summary: 'It is issued by a CA that nobody trusts.',
    check: 'issuer',
    authority: async ({ at }) => {
      const issuer = await mintCa({ at, name: 'Stranger CA' });
      return { issuer, presented: [derOf(issuer)] };
    },
  },
  'self-signed': {
    summary: 'It is signed with its own key; no CA has issued it.',
    check: 'issuer',
    authority: () => Promise.resolve({ presented: [] }),
  },
  'missing-intermediate': {
    summary: 'The chain holds the certificate alone, without the CA that issued it.',
    check: 'issuer',
    authority: ({ issuingCa }) => Promise.resolve({ issuer: issuingCa, presented: [] }),
  },
  forged: {
    summary: "It names the sandbox's issuing CA as its issuer, but another key has signed it.",
    check: 'signature',
    leaf: () => ({ signer: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }),
  },
  'bad-signature': {
    summary: 'One bit of its signature is wrong.',
    check: 'signature',
    afterSigning: (der) => Uint8Array.from(der, (octet, at) => (at === der.length - 1 ? octet ^ 1 : octet)),
  },
  'expired-issuer': {
    summary: 'The CA that issued it expired yesterday.',
    check: 'validity',
    authority: issuedUnderRoot({
      change: ({ notBefore }) => ({
        notBefore: daysAfter(notBefore, -30),
        notAfter: daysAfter(notBefore, -1),
      }),
    }),
    leaf: ({ notBefore }) => ({ notAfter: daysAfter(notBefore, 30) }),
  },
  'no-ca-flag': {
    summary: 'Its issuer is no CA: the basicConstraints of the issuing certificate do not say cA.',
    check: 'basic-constraints',
    authority: issuedUnderRoot({
      change: having(new x509.BasicConstraintsExtension(false, undefined, true)),
    }),
  },
  'ca-flag-not-critical': {
    summary: 'The basicConstraints of the CA that issued it are not critical.',
    check: 'basic-constraints',
    result: 'warning',
    authority: issuedUnderRoot({
      change: having(new x509.BasicConstraintsExtension(true, undefined, false)),
    }),
  },
  'no-cert-sign': {
    summary: 'The CA that issued it may not sign certificates: its keyUsage lacks keyCertSign.',
    check: 'key-usage',
    authority: issuedUnderRoot({
      change: having(new x509.KeyUsagesExtension(x509.KeyUsageFlags.cRLSign, true)),
    }),
  },
  'no-subject-key-id': {
    summary: 'The CA that issued it carries no subjectKeyIdentifier.',
    check: 'key-identifiers',
    authority: issuedUnderRoot({ change: without(OID.subjectKeyIdentifier) }),
  },
  'weak-issuer-key': {
    summary: 'The CA that issued it has an RSA key of 1024 bits.',
    check: 'public-key',
    authority: issuedUnderRoot({ keyKind: 'RSA-1024' }),
  },
  'mail-ca': {
    summary: 'The CA that issued it is made for mail alone: its extKeyUsage is emailProtection.',
    check: 'extended-key-usage',
    authority: issuedUnderRoot({ change: having(new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.4'])) }),
  },
  'path-length': {
    summary: "Its CA lies below the sandbox's issuing CA, which may have no CA beneath it (pathLen 0).",
    check: 'path-length',
    authority: async ({ issuingCa, at }) => {
      const issuer = await mintCa({ at, issuer: issuingCa, name: FAULTY_CA });
      return { issuer, presented: presentedWith(issuer) };
    },
  },
  'too-deep': {
    summary: `More than ${DEFAULT_MAX_DEPTH} CAs stand between it and the root.`,
    check: 'path-depth',
    authority: async (sandbox) => {
      const { at } = sandbox;
      // The root's pathLen forbids this too, but the search stops before such a long path is complete.
      const cas: Issuer[] = [rootOf(sandbox)];
      for (let depth = 0; depth <= DEFAULT_MAX_DEPTH; depth += 1) {
        const name = `Kontoport Sandbox CA at depth ${depth + 1}`;
        cas.unshift(await mintCa({ at, issuer: cas[0]!, name }));
      }
      return { issuer: cas[0]!, presented: cas.slice(0, -1).map(derOf) };
    },
  },
  'too-many-certificates': {
    summary: `More than ${PATH_LIMITS.intermediates} certificates are presented with it.`,
    check: 'work-limit',
    authority: ({ issuingCa }) =>
      Promise.resolve({
        issuer: issuingCa,
        presented: Array.from({ length: PATH_LIMITS.intermediates + 1 }, () => derOf(issuingCa)),
      }),
  },
  'name-constraints': {
    summary: 'Its host name lies outside what its CA may certify (name constraints).',
    check: 'name-constraints',
    authority: issuedUnderRoot({ change: having(permittingDns('elsewhere.invalid')) }),
  },
  'no-valid-policy': {
    summary: 'Its CA demands a valid certificate policy along the path, and there is none.',
    check: 'policies',
    authority: issuedUnderRoot({
      change: having(critical(OID.policyConstraints, REQUIRE_EXPLICIT_POLICY_NOW)),
    }),
  },
} as const satisfies Readonly<Record<string, Fault>>;
