import { defineTexts } from '@kontoport/errors';

/** The advice for each failed check. */
export const CURES = defineTexts({
  encoding: 'Send the certificate unchanged, as the issuer delivered it.',
  version: 'Ask the issuer for a version 3 certificate.',
  'serial-number': 'Ask the issuer for a certificate with a conforming serial number.',
  'signature-algorithm': 'Ask the issuer for a certificate signed with SHA-256, SHA-384 or SHA-512.',
  'public-key': 'Make a new key of a permitted kind and size and ask the issuer for a certificate for it.',
  names: 'Ask the issuer for a certificate with subject and issuer names.',
  'extensions-unique': 'Ask the issuer for a certificate with each extension once.',
  'extensions-critical':
    'Present the certificate as it was delivered, or ask the issuer for one without private critical extensions.',
  'extension-form': 'Ask the issuer for a certificate whose extensions conform to RFC 5280.',
  'key-usage': 'Ask the issuer for a certificate whose keyUsage agrees with its basicConstraints.',
  'basic-constraints': 'Present the chain of CA certificates that really issued the certificate.',
  'name-constraints-place': 'Ask the issuer for a certificate without name constraints.',
  'key-identifiers':
    'Ask the issuer for a certificate with key identifiers, and present the CA certificate they name.',
  'validity-begin': 'Wait until its validity begins, or present the certificate that is valid now.',
  validity: 'Renew the certificate and present the new one.',
  'validity-form': 'Ask the issuer for a certificate with conforming dates.',
  issuer: 'Present the complete chain, and ask the bank whether it trusts the issuer.',
  signature: 'Present the certificate unchanged with the CA certificate that issued it.',
  'path-length': 'Ask the issuer which chain belongs to the certificate.',
  'path-depth': 'Present a certificate from a CA nearer to its root.',
  'work-limit': 'Present only the certificates of the one chain.',
  'name-constraints': 'Ask the issuer for a certificate with names that its CA may certify.',
  policies: 'Ask the issuer for a certificate with a policy that its CA may use.',
  'extended-key-usage': 'Ask the issuer for a certificate for TLS.',
  revocation: 'Obtain a new certificate; ask the issuer why this one is revoked.',
  'revocation-list': 'Fetch the current CRL of the issuer.',
  'end-entity': 'Present the website certificate first, the CA certificates after it.',
  'leaf-key-usage': 'Ask the issuer for a QWAC with digitalSignature in its keyUsage.',
  'leaf-extended-key-usage': 'Ask the issuer for a QWAC for TLS client authentication.',
  'leaf-policy': 'Ask the issuer under which certificate policy it issues.',
  'qc-statements': 'Ask the issuer for a certificate whose qcStatements conform to ETSI EN 319 412-5.',
  'qc-compliance': 'Ask a qualified trust service provider for a qualified certificate.',
  'qc-type': 'Present the QWAC (website authentication), not the certificate for seals or signatures.',
  'psd2-statement': 'Ask the issuer for a PSD2 QWAC.',
  'psd2-form': 'Ask the issuer to encode the PSD2 QcStatement as TS 119 495 annex A says.',
  'psd2-roles': 'Ask the issuer for a certificate that names your roles.',
  'psd2-role-names': 'Ask the issuer to correct the role: identifier and name contradict each other.',
  'psd2-role-granted':
    'Get authorised for account information or payment initiation, and a certificate that says so.',
  'organization-identifier':
    'Ask the issuer for a certificate with your authorisation number as organizationIdentifier.',
  'organization-identifier-form':
    'Ask the issuer for the form PSD, country, -, competent authority, -, authorisation number.',
  'nca-id-form': "Ask the issuer for the competent authority's registered identifier.",
  'nca-agreement': 'Ask the issuer which competent authority has authorised you.',
  'revocation-status':
    'Ask the issuer why its OCSP responder and CRL say nothing usable about the certificate.',
  'revocation-source':
    'Repeat the request later; tell the issuer that its OCSP responder and CRL cannot be reached.',
});

/** Faults of an incomplete chain. Certificates are counted from 1, the leaf. */
export const CHAIN_TEXTS = defineTexts({
  'chain-empty': 'There is no certificate.',
  'chain-order':
    'Certificate {issuer} is not the issuer of certificate {number}; the leaf comes first, and after each certificate its issuer.',
  'chain-signature': 'Certificate {number} is not signed with the key of certificate {issuer}.',
  'chain-anchor':
    'The last certificate is not a trust anchor: append the certificate of its issuer, {issuer}, and so on up to the root.',
  'chain-root': 'The last certificate, {issuer}, is a root that this bank does not trust.',
});

/** The words around a technical finding. */
export const VERDICT_TEXTS = defineTexts({
  failed: '{check}: {finding}. {cure} ({clause})',
});
