import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certificatePem, mintCa, mintTls, type TlsRequest } from '@kontoport/issuing';

/** Paths of PEM files: the chain without the root, and the key. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** A folder with a certification authority and its certificates. */
export interface TlsFolder {
  folder: string;
  /** Path of the root's certificate. */
  ca: string;
  /** Issues `<name>.pem` and `<name>-key.pem`; those of that name are replaced. */
  issue(name: string, use: TlsRequest['use'], faults?: TlsFaults): Promise<TlsFiles>;
  /** Writes a file, readable by its owner only. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Faults of a certificate. */
export interface TlsFaults {
  isSelfSigned?: boolean;
  isExpired?: boolean;
}

const DAYS = 10;
const DAY_MS = 86_400_000;

/** Makes a certification authority in a folder under the system's temporary one. */
export async function tlsFolder(): Promise<TlsFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-tls-'));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const at = new Date();
  const root = await mintCa({ name: 'Test root', pathLength: 0, days: 30, at });
  return {
    folder,
    ca: write('ca.pem', root.certificatePem),
    async issue(name, use, { isSelfSigned = false, isExpired = false } = {}) {
      const { presented, keyPem, ...issued } = await mintTls({
        name,
        use,
        issuer: isSelfSigned ? undefined : root,
        days: DAYS,
        at: isExpired ? new Date(at.getTime() - (DAYS + 1) * DAY_MS) : at,
      });
      const chain = isSelfSigned ? issued.certificatePem : presented!.map(certificatePem).join('');
      return {
        cert: write(`${name}.pem`, chain),
        key: write(`${name}-key.pem`, keyPem),
      };
    },
    write,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes this process trust a further root. @returns a function that ends that */
export function trustBesides({ ca }: Pick<TlsFolder, 'ca'>): () => void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, readFileSync(ca, 'utf8')]);
  return () => setDefaultCACertificates(trusted);
}
