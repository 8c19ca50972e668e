import { createHash, X509Certificate } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, UsageError } from '@kontoport/command';
import { writeFileAtomically } from '@kontoport/issuing';
import { instant } from './sandbox.ts';
import { readTrustedList, TrustedListError } from './trusted-list.ts';
import { XmlSignatureError } from './xml-signature.ts';

const MAX_LIST_BYTES = 64 * 1024 * 1024;

function readSigner(file: string, bytes: Buffer): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch (error) {
    throw new InputError(`${file} is not a certificate (PEM or DER)`, { cause: error });
  }
}

/** The options of `import-trusted-list`. */
export interface ImportOptions {
  list: string;
  signer: string;
  out: string;
  at?: string;
}

/** Verifies a trusted list and writes its QWAC issuers as trust anchors; prints the kept ones. */
export async function importTrustedList({ list, signer, out, at }: ImportOptions): Promise<number> {
  const now = at === undefined ? new Date() : new Date(at);
  if (Number.isNaN(now.getTime())) throw new UsageError('--at is not an ISO 8601 time');
  if ((await stat(list)).size > MAX_LIST_BYTES)
    throw new InputError(`${list} is larger than ${MAX_LIST_BYTES / 1024 / 1024} MB`);
  const certificate = readSigner(signer, await readFile(signer));
  try {
    const trusted = readTrustedList(await readFile(list, 'utf8'), { signer: certificate, now });
    await mkdir(out, { recursive: true });
    let written = 0;
    for (const { provider, service, certificates } of trusted.services)
      for (const anchor of certificates) {
        const hash = createHash('sha256').update(anchor.raw).digest('hex').slice(0, 16);
        // The folder may be watched by services that run: they never see half a file.
        await writeFileAtomically(join(out, `${trusted.territory}-${hash}.pem`), anchor.toString());
        console.log(`${trusted.territory}-${hash}.pem  ${provider}: ${service}`);
        written += 1;
      }
    const until = trusted.nextUpdate ? `, next update ${instant(trusted.nextUpdate)}` : '';
    console.log(
      `${written} trust anchors from the list of ${trusted.territory}, issued ${instant(trusted.issuedAt)}${until}; ${trusted.passedOver} other services passed over`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof TrustedListError || error instanceof XmlSignatureError)) throw error;
    console.error(`kontoport qwac import-trusted-list: ${list} is refused: ${error.message}`);
    return 1;
  }
}
