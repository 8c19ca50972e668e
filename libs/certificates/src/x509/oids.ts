/** Object identifiers by the names that the standards give them. */
export const OID = {
  // RFC 5280 extensions
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  reasonCode: '2.5.29.21',
  invalidityDate: '2.5.29.24',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  certificateIssuer: '2.5.29.29',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  anyPolicy: '2.5.29.32.0',
  policyMappings: '2.5.29.33',
  authorityKeyIdentifier: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  anyExtendedKeyUsage: '2.5.29.37.0',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
  // RFC 9608
  noRevAvail: '2.5.29.56',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  subjectInfoAccess: '1.3.6.1.5.5.7.1.11',
  // RFC 6962
  precertificatePoison: '1.3.6.1.4.1.11129.2.4.3',
  // RFC 6960
  ocsp: '1.3.6.1.5.5.7.48.1',
  ocspBasic: '1.3.6.1.5.5.7.48.1.1',
  ocspNoCheck: '1.3.6.1.5.5.7.48.1.5',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  qcStatements: '1.3.6.1.5.5.7.1.3',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  // X.520 attributes
  commonName: '2.5.4.3',
  organizationName: '2.5.4.10',
  organizationIdentifier: '2.5.4.97',
  emailAddress: '1.2.840.113549.1.9.1',
  // ETSI EN 319 412-1
  validityAssuredShortTerm: '0.4.0.194121.2.1',
  // ETSI EN 319 412-5
  qcCompliance: '0.4.0.1862.1.1',
  qcPds: '0.4.0.1862.1.5',
  qcType: '0.4.0.1862.1.6',
  qcLegislation: '0.4.0.1862.1.7',
  qcTypeEsign: '0.4.0.1862.1.6.1',
  qcTypeEseal: '0.4.0.1862.1.6.2',
  qcTypeWeb: '0.4.0.1862.1.6.3',
  // ETSI TS 119 495
  psd2Statement: '0.4.0.19495.2',
  qcpWebPsd2: '0.4.0.19495.3.1',
  // ETSI EN 319 411-2
  qcpWeb: '0.4.0.194112.1.4',
  qncpWeb: '0.4.0.194112.1.5',
  qncpWebGenericLegalPerson: '0.4.0.194112.1.6',
} as const;

/** Roles of ETSI TS 119 495 (clause 5.2.2 and annex A, V1.8.1) with their object identifiers. */
export const ROLE_OIDS = {
  Unspecified: '0.4.0.19495.1.0',
  PSP_AS: '0.4.0.19495.1.1',
  PSP_PI: '0.4.0.19495.1.2',
  PSP_AI: '0.4.0.19495.1.3',
  PSP_IC: '0.4.0.19495.1.4',
  PSP_CB: '0.4.0.19495.1.5',
  PSP_PA: '0.4.0.19495.1.6',
  VOP_RS: '0.4.0.19495.1.51',
  VOP_VS: '0.4.0.19495.1.52',
} as const;

/** The one name that each of these object identifiers may carry. */
export const ROLE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ROLE_OIDS).map(([name, oid]) => [oid, name]),
);
