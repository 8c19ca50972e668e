import type { Certificate } from '../x509/certificate.ts';

/** Certificates found by the name of their subject. */
export class CertificateStore {
  readonly certificates: readonly Certificate[];
  readonly #bySubject: ReadonlyMap<string, readonly Certificate[]>;

  /** Each certificate counts once. */
  constructor(certificates: readonly Certificate[]) {
    this.certificates = [...new Map(certificates.map((entry) => [entry.sha256, entry])).values()];
    this.#bySubject = Map.groupBy(this.certificates, ({ subject }) => subject.key);
  }

  /** Returns the possible issuers of `certificate`, those with the key identifier that it names first. */
  issuersOf(certificate: Certificate): readonly Certificate[] {
    const named = this.#bySubject.get(certificate.issuer.key) ?? [];
    const wanted = certificate.values.authorityKeyId?.keyId;
    if (named.length < 2 || wanted === undefined) return named;
    const isWanted = ({ values }: Certificate) => values.subjectKeyId === wanted;
    return [...named.filter(isWanted), ...named.filter((issuer) => !isWanted(issuer))];
  }
}
