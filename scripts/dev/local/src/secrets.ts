import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomically } from '@kontoport/issuing';

/** The lasting secrets of a local sandbox, each a key of 32 bytes in base64url, or a list of them as the services take it. */
export interface Secrets {
  secretsKey: string;
  clientSecretPepper: string;
}

/** Makes a secret: base64url of 32 random bytes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Reads the secret that the user's own proxy sends, or makes one (file mode 0600). The proxy's configuration outlives a run. */
export async function ensureEdgeSecret(file: string): Promise<string> {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = newSecret();
  await writeFileAtomically(file, `${secret}\n`, 0o600);
  return secret;
}

/** Reads the secrets of this data folder. @throws when the file is damaged: with new secrets the databases would be unreadable */
export function readSecrets(file: string): Secrets {
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  const { secretsKey, clientSecretPepper } = stored;
  const complete = [secretsKey, clientSecretPepper].every(
    (secret) =>
      typeof secret === 'string' &&
      secret.split(',').every((key) => Buffer.from(key, 'base64url').length === 32),
  );
  if (!complete) throw new Error(`${file} is damaged; \`npm start -- --reset\` starts over without old data`);
  return { secretsKey: secretsKey!, clientSecretPepper: clientSecretPepper! };
}

/** Reads the secrets of this data folder, or makes them (file mode 0600). @throws as readSecrets */
export async function ensureSecrets(file: string): Promise<Secrets> {
  if (existsSync(file)) return readSecrets(file);
  const secrets: Secrets = { secretsKey: newSecret(), clientSecretPepper: newSecret() };
  await writeFileAtomically(file, `${JSON.stringify(secrets, undefined, 2)}\n`, 0o600);
  return secrets;
}
