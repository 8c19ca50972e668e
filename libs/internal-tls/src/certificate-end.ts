import { observableGauge } from '@kontoport/telemetry';

/** By what a process proves itself, and what the edge proved itself by to it. */
export type CertificateUse = 'internal' | 'edge' | 'kafka' | 'database' | 'bank';

const ends = new Map<CertificateUse, () => Date | undefined>();

observableGauge(
  {
    name: 'kontoport.certificate.expiration_timestamp.seconds',
    help: 'When a certificate ends by which the process proves itself, or the edge to it, in seconds since 1970.',
  },
  (observe) => {
    for (const [use, read] of ends) {
      const end = read();
      if (end !== undefined) observe(end.getTime() / 1_000, { 'kontoport.certificate': use });
    }
  },
);

/** Tells from now on when the certificate in use ends; nothing while `read` gives nothing. */
export function observeCertificateEnd(use: CertificateUse, read: () => Date | undefined): void {
  ends.set(use, read);
}
