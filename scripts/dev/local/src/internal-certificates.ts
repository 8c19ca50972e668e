import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_IDENTITIES, type ServiceIdentity } from '@kontoport/internal-tls';
import { certificatePem, mintCa, mintTls, writeFileAtomically } from '@kontoport/issuing';
import type { Lifecycle } from '@kontoport/lifecycle';
import type { Progress } from './progress.ts';

const HOSTS = ['127.0.0.1', 'localhost'];
const DAYS = { authority: 3_650, own: 30 };
const RENEW_EVERY_MS = 7 * 86_400_000;

/** What each process of the stack is told to speak internal TLS. */
export type InternalCertificates = (peer: ServiceIdentity) => Record<string, string>;

/**
 * Certificates of an authority that lives as long as this process, whose key is written nowhere. They are renewed under
 * way: certificate and key lie in one file each, which is replaced at once.
 */
export async function keepInternalCertificates(options: {
  folder: string;
  progress: Progress;
  lifecycle: Lifecycle;
}): Promise<InternalCertificates> {
  const { folder, progress, lifecycle } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = await mintCa({
    name: 'Kontoport internal CA',
    pathLength: 0,
    days: DAYS.authority,
    at: new Date(),
  });
  const caFile = join(folder, 'ca.pem');
  const fileOf = (peer: ServiceIdentity): string => join(folder, `${peer}.pem`);
  const issue = async (): Promise<void> => {
    for (const peer of SERVICE_IDENTITIES) {
      const request = { name: peer, use: { peer: [peer, ...HOSTS] }, issuer: authority, days: DAYS.own };
      const { keyPem, presented } = await mintTls({ ...request, at: new Date() });
      await writeFileAtomically(fileOf(peer), keyPem + presented!.map(certificatePem).join(''), 0o600);
    }
  };
  await writeFileAtomically(caFile, authority.certificatePem);
  await issue();
  const timer = setInterval(() => {
    issue().catch((error: unknown) =>
      progress.line(`the internal certificates were not renewed: ${String(error)}`),
    );
  }, RENEW_EVERY_MS);
  lifecycle.own('internal certificates', { close: async () => clearInterval(timer) });
  return (peer) => ({
    INTERNAL_TLS_CERT_FILE: fileOf(peer),
    INTERNAL_TLS_KEY_FILE: fileOf(peer),
    INTERNAL_TLS_CA_FILE: caFile,
  });
}
