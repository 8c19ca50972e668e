import { createHash, X509Certificate } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeFileAtomically } from '@kontoport/issuing';
import { readTrustedList, TrustedListError } from './trusted-list.ts';
import { XmlSignatureError } from './xml-signature.ts';

const MAX_LIST_BYTES = 64 * 1024 * 1024;

const USAGE = `Imports the issuers of website certificates from an EU trusted list (ETSI TS 119 612).

  npm run qwac -- import-trusted-list --list FILE --signer FILE --out FOLDER

  --list FILE     the trusted list of a member state, XML
  --signer FILE   the certificate (PEM or DER) that must have signed it, as the EU list of lists names it
  --out FOLDER    trust-anchor folder; one PEM file for each service that is granted, of type CA/QC
                  and for website authentication
  --at TIME       judge as of this ISO time instead of now

Exit status: 0 imported, 1 list refused, 2 unreadable input or usage.`;

/** Verifies a trusted list and writes its QWAC issuers as trust anchors; prints what was kept. */
export async function importTrustedList(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      list: { type: 'string' },
      signer: { type: 'string' },
      out: { type: 'string' },
      at: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { list, signer, out } = values;
  if (list === undefined || signer === undefined || out === undefined) {
    console.error(`--list, --signer and --out are needed\n\n${USAGE}`);
    return 2;
  }
  const now = values.at === undefined ? new Date() : new Date(values.at);
  if (Number.isNaN(now.getTime())) {
    console.error(`--at ${values.at} is not an ISO time`);
    return 2;
  }
  if ((await stat(list)).size > MAX_LIST_BYTES) {
    console.error(`${list} is larger than ${MAX_LIST_BYTES / 1024 / 1024} MB`);
    return 2;
  }
  const certificate = new X509Certificate(await readFile(signer));
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
    const until = trusted.nextUpdate ? `, next update ${trusted.nextUpdate.toISOString()}` : '';
    console.log(
      `${written} trust anchors from the list of ${trusted.territory}, issued ${trusted.issuedAt.toISOString()}${until}; ${trusted.passedOver} other services passed over`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof TrustedListError || error instanceof XmlSignatureError)) throw error;
    console.error(`refused: ${error.message}`);
    return 1;
  }
}
