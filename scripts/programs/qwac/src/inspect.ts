import {
  type Certificate,
  certificateDetails,
  CertificateInputError,
  type Check,
  checkCertificate,
  checkQwac,
  checkValidity,
  cureOf,
  namedAttributes,
  type QwacResult,
  readCertificates,
  ROLE_NAMES,
  type StatedRole,
} from '@kontoport/certificates';
import { InputError, list, widthOf, wrap } from '@kontoport/command';
import { toReadable } from '@kontoport/errors';
import { type Kind, kindOf } from './kind.ts';
import { instant, inWholeSeconds } from './sandbox.ts';
import { readSource } from './source.ts';

const roleWords: Readonly<Record<string, string>> = {
  PSP_AS: 'account servicing, as banks do',
  PSP_PI: 'payment initiation',
  PSP_AI: 'account information',
  PSP_IC: 'issuing of card-based payment instruments',
  VOP_RS: 'verification of payee',
  VOP_VS: 'verification of payee',
  Unspecified: 'unspecified',
};

/** In the order of the output; other attributes follow under their own names. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  O: 'legal name',
  organizationIdentifier: 'organizationIdentifier',
  CN: 'common name',
  OU: 'unit',
  serialNumber: 'register number',
  STREET: 'street',
  postalCode: 'postal code',
  L: 'place',
  ST: 'region',
  C: 'country',
};

/** Describes a role in words if identifier and name agree; else returns both unchanged. */
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

/** The judgement of one certificate. */
interface Judged {
  certificate: Certificate;
  kind: Kind;
  qwac: QwacResult;
  /** Failed checks, each of them once. */
  wrong: readonly Check[];
  doubtful: readonly Check[];
  /** Only the validity checks failed. */
  isOtherwiseSound: boolean;
}

function judge(certificate: Certificate, at: Date): Judged {
  const qwac = checkQwac(certificate);
  const made = [
    ...checkCertificate(certificate, 'leaf'),
    checkValidity(certificate, 'leaf', at),
    ...qwac.checks,
  ];
  const first = (check: Check, i: number) =>
    made.findIndex((other) => other.check === check.check && other.result === check.result) === i;
  const wrong = made.filter((check, i) => check.result === 'failed' && first(check, i));
  return {
    certificate,
    kind: kindOf(certificate, qwac),
    qwac,
    wrong,
    doubtful: made.filter((check, i) => check.result === 'warning' && first(check, i)),
    isOtherwiseSound:
      wrong.length > 0 && wrong.every(({ check }) => check === 'validity' || check === 'validity-begin'),
  };
}

/** Attribute and value, the legal name first. */
function subjectOf(certificate: Certificate): { name: string; value: string }[] {
  const order = Object.keys(ATTRIBUTES);
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return namedAttributes(certificate.subject).toSorted((a, b) => place(a.name) - place(b.name));
}

function aboutIt({ certificate, qwac }: Judged, width: number): string[] {
  const details = certificateDetails(certificate);
  const names = (certificate.values.subjectAltName ?? []).map(({ text }) => text).filter(Boolean);
  const attributes = subjectOf(certificate).map(({ name, value }) => ({
    name: ATTRIBUTES[name] ?? name,
    what: toReadable(value),
  }));
  const facts = [
    { name: 'issued by', what: details.issuer },
    {
      name: 'valid',
      what: `${instant(certificate.notBefore)} to ${instant(certificate.notAfter)}`,
    },
    { name: 'serial', what: details.serialNumber },
    { name: 'key', what: certificate.publicKeyInfo.description },
    ...(names.length > 0 ? [{ name: 'websites', what: names.join(', ') }] : []),
    { name: 'roles', what: rolesInWords(qwac) },
    ...(qwac.psd2 ? [{ name: 'authority', what: `${qwac.psd2.ncaName} (${qwac.psd2.ncaId})` }] : []),
  ].map(({ name, what }) => ({ name, what: toReadable(what) }));
  return list([...attributes, ...facts], { width });
}

function complaints({ wrong, doubtful, isOtherwiseSound }: Judged, width: number): string[] {
  const item = ({ check, evidence, clause }: Check): string[] => {
    const [first, ...more] = wrap(toReadable(inWholeSeconds(`${evidence} [${check}; ${clause}]`)), width - 4);
    return [`  - ${first}`, ...more.map((line) => `    ${line}`)];
  };
  return [
    wrong.length === 0
      ? 'Nothing is wrong with it as a PSD2 website certificate.'
      : 'What is wrong, and what to do:',
    ...wrong.flatMap((check) => [
      ...item(check),
      ...wrap(toReadable(cureOf(check.check).in('en')), width, '    '),
    ]),
    ...(isOtherwiseSound
      ? ['Otherwise it would be accepted, as far as the certificate alone can tell.']
      : []),
    ...(doubtful.length > 0 ? ['', 'What is unusual, but accepted:'] : []),
    ...doubtful.flatMap(item),
  ];
}

function explain(judged: Judged, options: { width: number; all: boolean }): string[] {
  const { width, all } = options;
  const { words, advice } = judged.kind;
  const isSetAside = advice !== undefined && !all;
  return [
    ...wrap(`This is ${words}.${advice === undefined ? '' : ` ${advice}`}`, width),
    '',
    ...aboutIt(judged, width),
    '',
    ...(isSetAside
      ? wrap(`As a QWAC it fails ${judged.wrong.length} checks; --all shows them.`, width)
      : complaints(judged, width)),
  ];
}

function explainOthers(chain: readonly Certificate[], width: number): readonly string[] {
  if (chain.length < 2) return [];
  const rows = chain.slice(1).flatMap((certificate, i) => {
    const isIssuer = certificate.subject.key === chain[i]!.issuer.key;
    const place = isIssuer
      ? `issuer of certificate ${i + 1}`
      : `NOT the issuer of certificate ${i + 1}: wrong order?`;
    const text = toReadable(`${i + 2}. ${certificateDetails(certificate).subject} (${place})`);
    return wrap(text, width - 2).map((line, at) => `${at === 0 ? '  ' : '     '}${line}`);
  });
  return ['', 'The file also holds:', ...rows];
}

/** Certification authorities in one file: their names and validity. */
function table(chain: readonly Certificate[], width: number): string[] {
  const rows = chain.map((certificate) => ({
    name: instant(certificate.notAfter).slice(0, 10),
    what: toReadable(certificateDetails(certificate).subject),
  }));
  return [
    `These are ${chain.length} certification authorities.`,
    ...wrap('To judge what they have issued, use them as trust anchors: verify --anchors FILE.', width),
    '',
    'Valid until, and whose:',
    ...list(rows, { width }),
  ];
}

function asJson(judged: Judged, chain: readonly Certificate[]): string {
  const { certificate, kind, qwac, wrong, doubtful, isOtherwiseSound } = judged;
  const { subject, issuer, serialNumber } = certificateDetails(certificate);
  const told = (checks: readonly Check[]) =>
    checks.map((check) => ({ ...check, cure: cureOf(check.check).in('en') }));
  return JSON.stringify(
    {
      sound: wrong.length === 0,
      otherwiseSound: isOtherwiseSound,
      kind: kind.words,
      subject: subjectOf(certificate),
      subjectName: subject,
      issuerName: issuer,
      serialNumber,
      notBefore: instant(certificate.notBefore),
      notAfter: instant(certificate.notAfter),
      key: certificate.publicKeyInfo.description,
      statedRoles: qwac.statedRoles,
      roles: qwac.roles,
      failed: told(wrong),
      warnings: told(doubtful),
      others: chain.slice(1).map((other) => certificateDetails(other).subject),
    },
    undefined,
    2,
  );
}

/** The options of `inspect`. */
export interface InspectOptions {
  all?: boolean;
  json?: boolean;
}

/** Explains the first certificate of a file, of the standard input or of a server; resolves to the exit status. */
export async function inspect(file: string, { all = false, json }: InspectOptions): Promise<number> {
  const { name, bytes } = await readSource(file);
  let chain: readonly Certificate[];
  try {
    chain = readCertificates(bytes);
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    throw new InputError(`${name}: ${error.message}`, { cause: error });
  }
  const width = widthOf(process.stdout, 120);
  const judged = judge(chain[0]!, new Date());
  const isBundle =
    chain.length > 1 && chain.every(({ values: { basicConstraints } }) => basicConstraints?.ca);
  if (json) console.log(asJson(judged, chain));
  else if (isBundle && !all) console.log(table(chain, width).join('\n'));
  else console.log([...explain(judged, { width, all }), ...explainOthers(chain, width)].join('\n'));
  return judged.wrong.length === 0 ? 0 : 1;
}
