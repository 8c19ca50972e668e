import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError, shown, UsageError } from '@kontoport/command';
import { mintQwac, MintRefused, type PspRole, readIssuer } from '@kontoport/issuing';
import {
  type Call,
  findProfile,
  jsonOf,
  openTransport,
  type Profile,
  profileFolder,
  type ProfileOptions,
  readIdentity,
  readStack,
  Refused,
  renewToken,
  type Stack,
  stackFile,
} from '@kontoport/profile';

const VALID_DAYS = 90;
/** The roles that a client can have (§4.2). */
export const ROLES = ['PSP_AI', 'PSP_PI'] as const satisfies readonly PspRole[];

/** The options of `kontoport login`. */
export interface LoginOptions extends ProfileOptions {
  name: string;
  organization: string;
  roles: string;
  redirectUri?: string[];
  cert?: string;
  key?: string;
  json?: boolean;
}

type Identity = Pick<Profile, 'certificate' | 'key'>;

/** The client of a profile with its token, and what was done for it. */
interface LoggedIn {
  profile: Profile;
  steps: string[];
}

/** Gets a token for the client of a profile; mints a certificate and registers where needed. @returns the exit status */
export async function login(options: LoginOptions): Promise<number> {
  const file = stackFile(options.stack);
  const stack = readStack(file);
  const folder = profileFolder(file, options.profile);
  const given = givenIdentity(options);
  const found = findProfile(folder);
  if (found && given && given.certificate !== found.certificate)
    throw new UsageError('the profile has another certificate; choose another profile with --profile');
  const { profile, steps } =
    (found && (await renewed(stack, folder, found))) ?? (await registered(stack, folder, { options, given }));
  const ends = new Date(profile.tokenEnds).toISOString();
  if (options.json) {
    const { clientId, certificate } = profile;
    console.log(JSON.stringify({ clientId, certificate, tokenEnds: ends, folder }, undefined, 2));
    return 0;
  }
  for (const step of steps) console.log(step);
  const chosen = [
    ...(options.profile === undefined ? [] : ['--profile', options.profile]),
    ...(options.stack === undefined ? [] : ['--stack', options.stack]),
  ];
  console.log(`The access token is valid until ${ends}.
The profile is ${shown(folder)}; only you can read it.

Continue with: ${['npx kontoport call GET /accounts', ...chosen].join(' ')}`);
  return 0;
}

function givenIdentity({ cert, key }: LoginOptions): Identity | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError('--cert and --key are of use together only');
  return { certificate: resolve(cert), key: resolve(key) };
}

/** Gets a token for an existing client; undefined when the bank does not accept the client any more. */
async function renewed(stack: Stack, folder: string, found: Profile): Promise<LoggedIn | undefined> {
  const transport = openTransport(readIdentity(stack, found));
  try {
    const { profile } = await renewToken({ stack, transport, folder, profile: found });
    return { profile, steps: [`Client ${profile.clientId} has a new token.`] };
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return undefined;
    throw error;
  } finally {
    await transport.close();
  }
}

/** Registers a client (POST /tpp, §4.2) and gets its first token. */
async function registered(
  stack: Stack,
  folder: string,
  { options, given }: { options: LoginOptions; given: Identity | undefined },
): Promise<LoggedIn> {
  const { name, redirectUri = ['https://tpp.example/callback'] } = options;
  const roles = rolesFrom(options.roles);
  const minted = given === undefined ? await mint(stack, folder, { ...options, roles }) : undefined;
  const identity = given ?? minted!;
  const transport = openTransport(readIdentity(stack, identity));
  try {
    const call: Call = {
      method: 'POST',
      url: `${stack.registrationUrl}/tpp`,
      headers: { 'content-type': 'application/json', 'x-request-id': randomUUID() },
      body: JSON.stringify({ name, roles, redirectUris: redirectUri }),
    };
    const answer = await transport.send(call);
    if (answer.status !== 201) throw new Refused(call, answer);
    const { clientId, clientSecret } = jsonOf(answer) as { clientId: string; clientSecret: string };
    const profile = { clientId, clientSecret, ...identity, tokenEnds: 0 };
    const { profile: ready } = await renewToken({ stack, transport, folder, profile });
    const steps = [
      ...(minted ? [`${name} (${options.organization}) has a QWAC until ${minted.ends}.`] : []),
      `Client ${clientId} is registered, with the roles ${roles.join(' and ')}.`,
    ];
    return { profile: ready, steps };
  } finally {
    await transport.close();
  }
}

function rolesFrom(text: string): (typeof ROLES)[number][] {
  return text.split(',').map((word) => {
    const role = ROLES.find((known) => known === word.trim());
    if (role === undefined)
      throw new UsageError(`--roles has "${word.trim()}"; known are ${ROLES.join(', ')}`);
    return role;
  });
}

/** Mints a certificate into the folder of the profile. */
async function mint(
  stack: Stack,
  folder: string,
  { name, organization, roles }: { name: string; organization: string; roles: PspRole[] },
): Promise<Identity & { ends: string }> {
  if (stack.issuingCa === undefined)
    throw new InputError('the stack has no certification authority: give --cert and --key');
  const request = { name, organizationIdentifier: organization, roles, days: VALID_DAYS };
  const issuer = await readIssuer(stack.issuingCa);
  const qwac = await mintQwac({ request, issuer, at: new Date() }).catch((error: unknown) => {
    throw error instanceof MintRefused ? new InputError(error.message, { cause: error }) : error;
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const identity = { certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') };
  await rm(identity.key, { force: true });
  await writeFile(identity.key, qwac.keyPem, { mode: 0o600, flag: 'wx' });
  await writeFile(identity.certificate, qwac.chainPem, { mode: 0o600 });
  return { ...identity, ends: qwac.notAfter.toISOString().slice(0, 10) };
}
