// npm run qwac -- inspect: what a certificate is, in plain language.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  type Certificate,
  certificateDetails,
  CertificateInputError,
  type Check,
  checkCertificate,
  type CheckId,
  checkQwac,
  checkValidity,
  cureOf,
  OID,
  printable,
  type QwacResult,
  readCertificates,
  ROLE_NAMES,
  type StatedRole,
} from '@kontoport/certificates';

const usage = `npm run qwac -- inspect FILE

Explains the certificate in FILE (PEM or DER): what it is, whose, which roles it states, what is wrong with it as a
PSD2 website certificate, and what to ask the issuer for. Whether it is trusted is said by: npm run qwac -- verify

Exit status: 0 nothing wrong, 1 something wrong, 2 unreadable input or wrong usage.`;

const roleWords: Readonly<Record<string, string>> = {
  PSP_AS: 'account servicing, as banks do',
  PSP_PI: 'payment initiation',
  PSP_AI: 'account information',
  PSP_IC: 'issuing of card-based payment instruments',
  VOP_RS: 'verification of payee',
  VOP_VS: 'verification of payee',
  Unspecified: 'unspecified',
};

const isPassed = (checks: readonly Check[], id: CheckId) =>
  checks.some(({ check, result }) => check === id && result === 'passed');

/** What kind of certificate this is, in one sentence. */
function kindOf(certificate: Certificate, { checks, psd2 }: QwacResult): string {
  const { basicConstraints, extendedKeyUsage } = certificate.values;
  const has = (id: string) => certificate.extensions.some((extension) => extension.id === id);
  if (certificate.unknownCriticalExtensions.includes(OID.precertificatePoison))
    return 'a precertificate, made for the logs of Certificate Transparency, not the certificate itself';
  if (basicConstraints?.ca) return 'the certificate of a certification authority';
  const forPsd2 = psd2 ? ' for PSD2' : '';
  if (isPassed(checks, 'qc-type') && isPassed(checks, 'qc-compliance'))
    return `a qualified website authentication certificate (QWAC)${forPsd2}`;
  const evidence = checks.find(({ check }) => check === 'qc-type')?.evidence ?? '';
  if (evidence.includes(','))
    return `a certificate of several kinds at once (seal, signature, website)${forPsd2}`;
  if (evidence.includes(OID.qcTypeEseal)) return `a certificate for electronic seals (QSealC)${forPsd2}`;
  if (evidence.includes(OID.qcTypeEsign)) return `a certificate for electronic signatures${forPsd2}`;
  if (has(OID.qcStatements)) return `a certificate with statements about its quality, but no QWAC${forPsd2}`;
  return extendedKeyUsage?.includes(OID.serverAuth)
    ? 'an ordinary TLS certificate'
    : 'an ordinary certificate';
}

/** In words only when identifier and name agree; else both are shown as they stand. */
function roleInWords({ oid, name }: StatedRole): string {
  const words = ROLE_NAMES[oid] === name ? roleWords[name] : undefined;
  return words ? `${name}, ${words}` : `${name} (${oid})`;
}

function rolesInWords({ statedRoles, roles, psd2, checks }: QwacResult): string {
  const isBroken = !psd2 && checks.some(({ check, result }) => check === 'psd2-form' && result === 'failed');
  if (isBroken) return 'unknown, since the PSD2 statement cannot be read';
  if (statedRoles.length === 0) return 'none';
  const stated = statedRoles.map(roleInWords).join('; ');
  return roles.length > 0
    ? `${stated}. Here it opens ${roles.join(' and ')}`
    : `${stated}. Here it opens nothing`;
}

function explain(certificate: Certificate, at: Date): { readonly text: string; readonly isSound: boolean } {
  const qwac = checkQwac(certificate);
  const details = certificateDetails(certificate);
  const made = [
    ...checkCertificate(certificate, 'leaf'),
    checkValidity(certificate, 'leaf', at),
    ...qwac.checks,
  ];
  const first = (check: Check, i: number) =>
    made.findIndex((other) => other.check === check.check && other.result === check.result) === i;
  const wrong = made.filter((check, i) => check.result === 'failed' && first(check, i));
  const doubtful = made.filter((check, i) => check.result === 'warning' && first(check, i));
  const names = (certificate.values.subjectAltName ?? []).map(({ text }) => text).filter(Boolean);
  const lines = [
    `This is ${kindOf(certificate, qwac)}.`,
    '',
    `  whose        ${details.subject}`,
    `  issued by    ${details.issuer}`,
    `  valid        ${details.notBefore} to ${details.notAfter}`,
    `  serial       ${details.serialNumber}`,
    `  key          ${certificate.publicKeyInfo.description}`,
    ...(names.length > 0 ? [`  websites     ${names.join(', ')}`] : []),
    `  roles        ${rolesInWords(qwac)}`,
    ...(qwac.psd2 ? [`  authority    ${qwac.psd2.ncaName} (${qwac.psd2.ncaId})`] : []),
    '',
    wrong.length === 0
      ? 'Nothing is wrong with it as a PSD2 website certificate.'
      : 'What is wrong, and what to do:',
    ...wrong.flatMap(({ check, evidence, clause }) => [
      `  - ${evidence} [${check}; ${clause}]`,
      `    ${cureOf(check).in('en')}`,
    ]),
    ...(doubtful.length > 0 ? ['', 'What is unusual, but accepted:'] : []),
    ...doubtful.map(({ check, evidence, clause }) => `  - ${evidence} [${check}; ${clause}]`),
  ];
  return { text: lines.map(printable).join('\n'), isSound: wrong.length === 0 };
}

function explainOthers(chain: readonly Certificate[]): readonly string[] {
  if (chain.length < 2) return [];
  const rows = chain.slice(1).map((certificate, i) => {
    const isIssuer = certificate.subject.key === chain[i]!.issuer.key;
    const place = isIssuer
      ? `issuer of certificate ${i + 1}`
      : `NOT the issuer of certificate ${i + 1}: wrong order?`;
    return printable(`  ${i + 2}. ${certificateDetails(certificate).subject} (${place})`);
  });
  return ['', 'The file also holds:', ...rows];
}

/** Explains the first certificate of a file; resolves to the exit status 0 nothing wrong, 1 something, 2 unusable. */
export async function inspect(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    console.error(`Name exactly one file.\n\n${usage}`);
    return 2;
  }
  try {
    const chain = readCertificates(await readFile(file));
    const { text, isSound } = explain(chain[0]!, new Date());
    console.log([text, ...explainOthers(chain)].join('\n'));
    return isSound ? 0 : 1;
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error;
    if (!(error instanceof CertificateInputError) && !isFile) throw error;
    console.error(`${file}: ${error.message}`);
    return 2;
  }
}
