// What the commands understand; kept apart from what they do, so that a usage loads nothing of it.

const AT = {
  type: 'string',
  value: 'TIME',
  summary: 'the moment to judge by, ISO 8601',
  standard: 'now',
} as const;

const ALL = { type: 'boolean', summary: 'every check, also those that say nothing new' } as const;
const JSON_TEXT = { type: 'boolean', summary: 'one JSON object instead of text' } as const;
const DATA = {
  type: 'string',
  value: 'FOLDER',
  summary: 'data folder of the local stack',
  standard: '.local',
} as const;

export const INSPECT_OPTIONS = { all: ALL, json: JSON_TEXT } as const;

export const VERIFY_OPTIONS = {
  anchors: {
    type: 'string',
    value: 'FILE|FOLDER',
    multiple: true,
    summary: 'trusted roots or issuing CAs',
    standard: 'those of the local stack',
  },
  intermediates: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    summary: 'further CA certificates to build the path with',
  },
  at: AT,
  profile: {
    type: 'string',
    value: 'P',
    summary: 'path and QWAC rules, RFC 5280 alone, or QWAC rules alone',
    choices: ['psd2', 'path', 'leaf'],
    standard: 'psd2',
  },
  'max-depth': { type: 'string', value: 'N', summary: 'intermediate CAs allowed in the path' },
  purpose: {
    type: 'string',
    value: 'P',
    summary: 'what the leaf must be good for, if it has an extKeyUsage',
    choices: ['serverAuth', 'clientAuth'],
  },
  crl: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    summary: 'revocation list to hold the path against',
  },
  data: DATA,
  all: ALL,
  json: JSON_TEXT,
} as const;

export const MINT_OPTIONS = {
  name: { type: 'string', summary: 'legal name of the provider', standard: 'Example TPP' },
  organization: {
    type: 'string',
    value: 'ID',
    summary: 'organizationIdentifier',
    standard: 'PSDDK-DFSA-12345678',
  },
  roles: {
    type: 'string',
    value: 'LIST',
    summary: 'of PSP_AS, PSP_PI, PSP_AI, PSP_IC',
    standard: 'PSP_AI,PSP_PI',
  },
  days: { type: 'string', value: 'N', summary: 'validity, at most 825', standard: '90' },
  dns: { type: 'string', value: 'NAME', summary: 'host name in the certificate', standard: 'from the name' },
  out: {
    type: 'string',
    value: 'FOLDER',
    summary: 'where chain.pem and key.pem are written',
    standard: '.local/qwac/<name>[-<fault>]',
  },
  csr: {
    type: 'string',
    value: 'FILE',
    summary: 'a certificate request (PKCS #10): your key instead of a new one; what it asks for is set aside',
  },
  p12: { type: 'boolean', summary: 'also key and chain in one PKCS #12 file, store.p12' },
  password: { type: 'string', summary: 'of the PKCS #12 file', standard: 'kontoport' },
  data: DATA,
  fault: {
    type: 'string',
    value: 'NAME',
    summary: 'a certificate with this one fault, which must be refused or warned about',
  },
  'list-faults': { type: 'boolean', summary: 'all faults, and the check of each' },
} as const;

export const REVOKE_OPTIONS = {
  reason: {
    type: 'string',
    value: 'WORD',
    summary: 'why, as the OCSP answer and the list will say',
    choices: [
      'unspecified',
      'keyCompromise',
      'affiliationChanged',
      'superseded',
      'cessationOfOperation',
      'privilegeWithdrawn',
    ],
    standard: 'unspecified',
  },
  data: DATA,
} as const;

export const IMPORT_OPTIONS = {
  list: { type: 'string', value: 'FILE', summary: 'the trusted list of a member state, XML' },
  signer: {
    type: 'string',
    value: 'FILE',
    summary: 'the certificate (PEM or DER) that must have signed it, as the EU list of lists names it',
  },
  out: { type: 'string', value: 'FOLDER', summary: 'trust-anchor folder' },
  at: AT,
} as const;
