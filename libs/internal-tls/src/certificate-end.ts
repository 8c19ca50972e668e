import { observableGauge } from '@kontoport/telemetry';

/** The own certificate of a process, and that of its edge. */
export type CertificateUse = 'internal' | 'edge' | 'kafka' | 'database' | 'bank';

const ends = new Map<CertificateUse, () => Date | undefined>();

observableGauge(
  {
    name: 'kontoport.certificate.expiration_timestamp.seconds',
    help: 'Expiry of a certificate of the process, or of the one that the edge presents to it, in seconds since 1970.',
  },
  (observe) => {
    for (const [use, read] of ends) {
      const end = read();
      if (end !== undefined) observe(end.getTime() / 1_000, { 'kontoport.certificate': use });
    }
  },
);

/** Exports the end of the certificate in use; nothing while `read` returns nothing. */
export function observeCertificateEnd(use: CertificateUse, read: () => Date | undefined): void {
  ends.set(use, read);
}
