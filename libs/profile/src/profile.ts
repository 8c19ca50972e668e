import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InputError, UsageError } from '@kontoport/command';
import { writeFileAtomically } from '@kontoport/issuing';

/** A client of a stack, with all that its calls need. */
export interface Profile {
  clientId: string;
  clientSecret: string;
  /** PEM file of the certificate and its issuers, leaf first. */
  certificate: string;
  /** PEM file of the private key. */
  key: string;
  /** The expiry of the access token, in milliseconds since 1970. */
  tokenEnds: number;
}

/** Only the owner may read a file with a secret. */
const PRIVATE = 0o600;
const DEFAULT_NAME = 'default';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns the folder of a profile, beside `stack.json`. @throws UsageError */
export function profileFolder(stackFile: string, name: string = DEFAULT_NAME): string {
  if (!NAME.test(name))
    throw new UsageError('--profile is a name of 1 to 64 letters, digits, dashes and underscores');
  return join(dirname(stackFile), 'profiles', name);
}

const profileFile = (folder: string): string => join(folder, 'profile.json');

/** The file that has the access token and nothing else. */
export const tokenFile = (folder: string): string => join(folder, 'access-token');

/** Reads a profile; undefined when there is none. */
export function findProfile(folder: string): Profile | undefined {
  const file = profileFile(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Profile) : undefined;
}

/** Reads a profile. @throws InputError when there is none */
export function requireProfile(folder: string): Profile {
  const profile = findProfile(folder);
  if (profile === undefined)
    throw new InputError(`there is no profile in ${folder}. Make one with npx kontoport login.`);
  return profile;
}

/** Writes a profile and its access token. */
export async function writeProfile(folder: string, profile: Profile, accessToken: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomically(tokenFile(folder), accessToken, PRIVATE);
  await writeFileAtomically(profileFile(folder), `${JSON.stringify(profile, undefined, 2)}\n`, PRIVATE);
}
