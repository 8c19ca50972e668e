import { join } from 'node:path';
import { certificateDetails, CertificateInputError, readCertificates } from '@kontoport/certificates';
import { InputError } from '@kontoport/command';
import { toReadable } from '@kontoport/errors';
import {
  authorityFiles,
  namesResponder,
  REVOCATION_KNOWN_WITHIN_MS,
  type RevocationReason,
  RevocationRefused,
  revoke,
} from '@kontoport/issuing';
import { dataFolder, runningStack } from './sandbox.ts';
import { readSource } from './source.ts';

/** The first certificate of a file. @throws InputError */
async function readFirst(file: string) {
  const { name, bytes } = await readSource(file);
  try {
    return readCertificates(bytes)[0]!;
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    throw new InputError(`${name}: ${error.message}`, { cause: error });
  }
}

/** The options of `revoke`. */
export interface RevokeOptions {
  reason: RevocationReason;
  data?: string;
}

/** Revokes a certificate of the sandbox and prints when the revocation takes effect; resolves to the exit status. */
export async function revokeCommand(file: string, options: RevokeOptions): Promise<number> {
  const { reason } = options;
  const data = dataFolder(options.data);
  const ca = join(data, 'ca');
  const certificate = await readFirst(file);
  try {
    const revoked = await revoke({ ca, certificate: certificate.der, reason, at: new Date() });
    const { subject, serialNumber } = certificateDetails(certificate);
    const because = revoked.reason === 'unspecified' ? '' : `, ${revoked.reason}`;
    const words = revoked.isNew ? 'Revoked' : 'It was revoked before';
    console.log(`${words}: ${toReadable(subject)}, serial ${serialNumber}, at ${revoked.at}${because}.`);
    console.log(outlook({ data, ca, der: certificate.der }));
    return 0;
  } catch (error) {
    if (!(error instanceof RevocationRefused)) throw error;
    console.error(`kontoport qwac revoke: ${file} is refused: ${error.message}`);
    return 1;
  }
}

function outlook({ data, ca, der }: { data: string; ca: string; der: Uint8Array }): string {
  const { sources } = authorityFiles(ca).issuingCa;
  if (!sources || !namesResponder(der, sources))
    return 'It names no OCSP responder that this sandbox has, so nobody will ask: mint a new one to see a revocation.';
  const seconds = REVOCATION_KNOWN_WITHIN_MS / 1_000;
  return runningStack(data)
    ? `Within ${seconds} s whoever calls with it is told 401 CERTIFICATE_REVOKED.`
    : `When the stack runs (npm start), whoever calls with it is told 401 CERTIFICATE_REVOKED.`;
}
