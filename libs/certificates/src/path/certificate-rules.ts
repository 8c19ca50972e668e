import { type Check, type CheckId, failed, passed, warning } from '../check-table.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import { OID } from '../x509/oids.ts';

/** Place of a certificate in its path. A responder is beside the path and signs revocation data. */
export type Place = 'leaf' | 'intermediate' | 'anchor' | 'responder';

/** The finding of a rule: a fault in words, or a description of the part that passed. */
export type Judgement = { readonly fault: string } | { readonly found: string };

/** The result of a rule. An oddity is reported as a warning. */
type RuleOutcome = Judgement | { readonly oddity: string };

interface Rule {
  readonly check: CheckId;
  /** Undefined: the rule does not apply at this place. */
  readonly judge: (certificate: Certificate, place: Place) => RuleOutcome | undefined;
}

const judged = (fault: string | undefined | false, found: string): Judgement =>
  fault ? { fault } : { found };

function faultOfNames(
  { issuer, subject, extensions, values }: Certificate,
  place: Place,
): string | undefined {
  if (issuer.rdns.length === 0) return 'issuer is empty';
  if (subject.rdns.length > 0) return undefined;
  const isCa = place === 'intermediate' || place === 'anchor' || values.basicConstraints?.ca;
  if (isCa) return 'subject of a CA is empty';
  const altName = extensions.find(({ id }) => id === OID.subjectAltName);
  if (!altName) return 'subject is empty and there is no subjectAltName';
  return altName.critical ? undefined : 'subject is empty and subjectAltName is not critical';
}

function faultOfSerial(serial: Uint8Array): string | undefined {
  if ((serial[0]! & 0x80) !== 0) return 'serial number is negative';
  if (serial.every((octet) => octet === 0)) return 'serial number is zero';
  return serial.length > 20 ? `serial number has ${serial.length} octets` : undefined;
}

/** Certificates that the TPP did not choose and cannot mend. */
const isOfIssuer = (place: Place): boolean => place === 'intermediate' || place === 'responder';

/** Rules of RFC 5280 §4 for issuers: an error for the leaf, a warning for an intermediate CA and a responder (ADR-0006). */
const issuersRule = (fault: string | undefined | false, found: string, place: Place): RuleOutcome =>
  fault && isOfIssuer(place) ? { oddity: fault } : judged(fault, found);

/**
 * An anchor's alternative names play no part in a path (RFC 5280 §6.1.1 (d)), nor does the issuerAltName of a CA
 * (RFC 5280 §4.2.1.7).
 * An extension is read even if its criticality breaks the rule.
 */
function judgeExtensions({ extensionFaults }: Certificate, place: Place): RuleOutcome {
  const unused: readonly string[] = place === 'anchor' ? [OID.subjectAltName, OID.issuerAltName] : [];
  const faults = extensionFaults.filter(({ id }) => !unused.includes(id));
  const words = (list: typeof faults): string => list.map(({ fault }) => fault).join('; ');
  const isOdd = ({ id, ofCriticality }: (typeof faults)[number]): boolean =>
    id === OID.issuerAltName || (ofCriticality && id !== OID.policyConstraints);
  if (isOfIssuer(place) && faults.length > 0 && faults.every(isOdd)) return { oddity: words(faults) };
  return judged(words(faults.filter((fault) => !isOfIssuer(place) || !isOdd(fault))), 'well-formed');
}

function faultOfCritical(unknown: readonly string[]): string {
  return unknown.includes(OID.precertificatePoison)
    ? 'it is a precertificate, made for the logs of Certificate Transparency (RFC 6962 §3.1), not the certificate'
    : `critical and unknown: ${unknown.join(', ')}`;
}

function judgeKeyUsage({ values }: Certificate, place: Place): RuleOutcome {
  const { keyUsage, basicConstraints } = values;
  const found = [...(keyUsage ?? [])].join(', ') || 'no keyUsage';
  if (place === 'leaf' || place === 'responder')
    return judged(keyUsage?.has('keyCertSign') && !basicConstraints?.ca && 'keyCertSign without cA', found);
  // RFC 5280 §4.2.1.3 requires the extension of issuers; RFC 5280 §6.1.4 (n) requires validators to check a present one.
  if (keyUsage === undefined) return { oddity: 'CA without keyUsage' };
  return judged(!keyUsage.has('keyCertSign') && 'CA without keyCertSign in its keyUsage', found);
}

function judgeBasicConstraints({ values, extensions }: Certificate, place: Place): RuleOutcome | undefined {
  if (place === 'leaf' || place === 'responder') return undefined;
  if (!values.basicConstraints) return { fault: 'no basicConstraints' };
  if (!values.basicConstraints.ca) return { fault: 'basicConstraints says it is no CA' };
  const { critical } = extensions.find(({ id }) => id === OID.basicConstraints)!;
  return issuersRule(!critical && 'basicConstraints of a CA is not critical', 'CA', place);
}

function faultOfKeyIdentifiers(certificate: Certificate, place: Place): string | undefined {
  const { subjectKeyId, authorityKeyId, basicConstraints } = certificate.values;
  if (!subjectKeyId && (place !== 'leaf' || basicConstraints?.ca)) return 'CA without subjectKeyIdentifier';
  // A self-signed certificate may omit it (RFC 5280 §4.2.1.1): then the path reports the fault.
  if (place !== 'anchor')
    return authorityKeyId?.keyId || isSelfIssued(certificate)
      ? undefined
      : 'no authorityKeyIdentifier with a keyIdentifier';
  const contradicts =
    isSelfIssued(certificate) && authorityKeyId?.keyId !== undefined && authorityKeyId.keyId !== subjectKeyId;
  return contradicts ? 'authorityKeyIdentifier of a self-signed CA is not its own key' : undefined;
}

/** The rules for a single certificate, in the order of their checks. */
const RULES: readonly Rule[] = [
  {
    check: 'version',
    judge: ({ version }) => judged(version !== 3 && `version ${version}`, 'version 3'),
  },
  {
    check: 'serial-number',
    // An anchor is a name and a key (RFC 5280 §6.1.1 (d)): trusted lists hold CAs whose serial number is zero.
    judge: ({ serialNumber }, place) =>
      place === 'anchor'
        ? undefined
        : issuersRule(faultOfSerial(serialNumber), `${serialNumber.length} octets`, place),
  },
  {
    check: 'signature-algorithm',
    // The signature of a trust anchor is not verified, so its algorithm does not matter.
    judge: (certificate, place) => (place === 'anchor' ? undefined : judgeSignatureAlgorithm(certificate)),
  },
  { check: 'public-key', judge: judgePublicKey },
  {
    check: 'names',
    judge: (certificate, place) =>
      judged(faultOfNames(certificate, place), `subject ${shortName(certificate.subject)}`),
  },
  {
    check: 'extensions-unique',
    judge: ({ duplicateExtensions: twice, extensions }) =>
      judged(twice.length > 0 && `${twice.join(', ')} stands twice`, `${extensions.length} extensions`),
  },
  {
    check: 'extensions-critical',
    judge: ({ unknownCriticalExtensions: unknown }) =>
      judged(unknown.length > 0 && faultOfCritical(unknown), 'all critical ones understood'),
  },
  {
    check: 'extension-form',
    judge: judgeExtensions,
  },
  { check: 'basic-constraints', judge: judgeBasicConstraints },
  { check: 'key-usage', judge: judgeKeyUsage },
  {
    check: 'name-constraints-place',
    judge: ({ values, extensions }) => {
      if (!extensions.some(({ id }) => id === OID.nameConstraints)) return undefined;
      return judged(
        !values.basicConstraints?.ca && 'name constraints in a certificate that is no CA',
        'in a CA',
      );
    },
  },
  {
    check: 'key-identifiers',
    // Key identifiers serve to build paths. The issuer of a responder is known.
    judge: (certificate, place) =>
      place === 'responder'
        ? undefined
        : judged(
            faultOfKeyIdentifiers(certificate, place),
            `subject ${certificate.values.subjectKeyId ?? 'none'}`,
          ),
  },
  {
    check: 'validity-form',
    // Validators must accept both forms (RFC 5280 §4.1.2.5), whichever form the issuer had to use.
    judge: ({ timeFault }, place) =>
      timeFault !== undefined && place !== 'leaf'
        ? { oddity: timeFault }
        : judged(timeFault, 'conforming dates'),
  },
];

/** The signature algorithm of a certificate (SHA-1 and unknown ones refused). */
export function judgeSignatureAlgorithm({
  signatureAlgorithm,
  signatureAlgorithmsAgree,
}: Certificate): Judgement {
  const differ = !signatureAlgorithmsAgree && 'signature and signatureAlgorithm differ';
  return judged(signatureAlgorithm.fault ?? differ, signatureAlgorithm.value?.name ?? '');
}

/** The kind and size of a certificate's key. */
export function judgePublicKey({ publicKeyInfo, publicKey }: Certificate): Judgement {
  const { fault, description } = publicKeyInfo;
  // OpenSSL finds faults that the encoding does not show, such as a point off its curve; the earlier rules bound its work.
  return judged(fault ?? (!publicKey() && `${description}: the key is not valid`), description);
}

// Trust anchors meet the same rules in every verdict, and a CA in every path that a search tries.
const checked: Readonly<Record<Place, WeakMap<Certificate, readonly Check[]>>> = {
  leaf: new WeakMap(),
  intermediate: new WeakMap(),
  anchor: new WeakMap(),
  responder: new WeakMap(),
};

/** Applies every rule for a certificate at `place`; time and neighbours play no part. */
export function checkCertificate(certificate: Certificate, place: Place): readonly Check[] {
  const known = checked[place].get(certificate);
  if (known) return known;
  const made = applyRules(certificate, place);
  checked[place].set(certificate, made);
  return made;
}

function applyRules(certificate: Certificate, place: Place): readonly Check[] {
  const label = `${place} ${shortName(certificate.subject)}`;
  return RULES.flatMap(({ check, judge }) => {
    const outcome = judge(certificate, place);
    if (!outcome) return [];
    if ('fault' in outcome) return [failed(check, `${label}: ${outcome.fault}`)];
    if ('oddity' in outcome) return [warning(check, `${label}: ${outcome.oddity}`)];
    return [passed(check, `${label}: ${outcome.found}`)];
  });
}

/**
 * Validity at a moment; seconds count, fractions do not (RFC 5280 §4.1.2.5).
 * @param toleranceSeconds by which it may lie beyond either end
 */
export function checkValidity(certificate: Certificate, place: Place, at: Date, toleranceSeconds = 0): Check {
  const now = Math.floor(at.getTime() / 1000) * 1000;
  const [from, to] = [certificate.notBefore, certificate.notAfter].map((time) =>
    new Date(time).toISOString(),
  );
  const label = `${place} ${shortName(certificate.subject)}`;
  if (now + toleranceSeconds * 1000 < certificate.notBefore)
    return failed('validity-begin', `${label}: not valid before ${from}`);
  if (now > certificate.notAfter) return failed('validity', `${label}: expired at ${to}`);
  return passed('validity', `${label}: valid from ${from} to ${to}`);
}
