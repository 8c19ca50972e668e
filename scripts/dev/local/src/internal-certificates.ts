import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_IDENTITIES, type ServiceIdentity } from '@kontoport/internal-tls';
import { certificatePem, mintCa, mintTls, writeFileAtomically } from '@kontoport/issuing';

const HOSTS = ['127.0.0.1', 'localhost'];
const DAYS = 3_650;

/** The variables of internal TLS of each process of the stack. */
export type InternalCertificates = (peer: ServiceIdentity) => Record<string, string>;

/** Makes certificates of an authority that lives as long as this process. Its key is in no file. */
export async function makeInternalCertificates(folder: string): Promise<InternalCertificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const at = new Date();
  const authority = await mintCa({ name: 'Kontoport internal CA', pathLength: 0, days: DAYS, at });
  const caFile = join(folder, 'ca.pem');
  const fileOf = (peer: ServiceIdentity): string => join(folder, `${peer}.pem`);
  for (const peer of SERVICE_IDENTITIES) {
    const use = { peer: [peer, ...HOSTS] as [ServiceIdentity, ...string[]] };
    const { keyPem, presented } = await mintTls({ name: peer, use, issuer: authority, days: DAYS, at });
    await writeFileAtomically(fileOf(peer), keyPem + presented!.map(certificatePem).join(''), 0o600);
  }
  await writeFileAtomically(caFile, authority.certificatePem);
  return (peer) => ({
    INTERNAL_TLS_CERT_FILE: fileOf(peer),
    INTERNAL_TLS_KEY_FILE: fileOf(peer),
    INTERNAL_TLS_CA_FILE: caFile,
  });
}
