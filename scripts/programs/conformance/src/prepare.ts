import { dirname } from 'node:path';
import { InputError, UsageError } from '@kontoport/command';
import { findProfile, jsonOf, type Profile, profileFolder, readIdentity, Refused } from '@kontoport/profile';
import { type Address, ADDRESSES, readConfig } from './config.ts';
import { Deployment } from './deployment.ts';
import { Tpp } from './tpp.ts';

const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/;

/** A deployment that answers, and a client with a token. */
export interface Prepared {
  deployment: Deployment;
  tpp: Tpp;
  isSandbox: boolean;
}

/** Opens a deployment. @throws InputError with cause and cure if the configuration does not fit the deployment */
export async function prepare(file: string, profileName: string | undefined): Promise<Prepared> {
  const config = readConfig(file);
  const profile = profileName === undefined ? undefined : findProfile(profileFolder(file, profileName));
  if (profileName !== undefined && profile === undefined)
    throw new UsageError(`${dirname(file)} has no profile ${profileName}. Make one with npx kontoport login`);
  const deployment = new Deployment(config);
  try {
    let isSandbox = false;
    for (const address of ADDRESSES) {
      const { environment } = await reach(deployment, file, address);
      if (address === 'baseUrl') isSandbox = environment === 'sandbox';
    }
    const tpp = await connect(deployment, file, profile);
    return { deployment, tpp, isSandbox };
  } catch (error) {
    await deployment.close();
    throw error;
  }
}

/** Reads the public start document of an address. */
async function reach(deployment: Deployment, file: string, address: Address) {
  const headers = { accept: 'application/json' };
  try {
    return jsonOf(
      await deployment.send(deployment.anonymous, address, { method: 'GET', path: '/', headers }),
    );
  } catch (error) {
    const url = deployment.config[address];
    const code = codeOf(error);
    if (UNTRUSTED.test(code))
      throw new InputError(
        `serverCa does not verify the certificate of ${address} ${url} (${code}). Name the authority that issued it, in ${file}.`,
        { cause: error },
      );
    throw new InputError(
      `${address} ${url} is unreachable (${code}). Correct it in ${file}, or start the deployment.`,
      { cause: error },
    );
  }
}

/** Gets a token, for the client of a profile or for a new one. */
async function connect(deployment: Deployment, file: string, profile: Profile | undefined): Promise<Tpp> {
  const { certificate, key, issuingCa } = deployment.config;
  const given =
    profile ?? (certificate !== undefined && key !== undefined ? { certificate, key } : undefined);
  if (given === undefined && issuingCa === undefined)
    throw new InputError(
      `${file} has no client certificate. Add certificate and key, or issuingCa to mint one.`,
    );
  const identity = given ? readIdentity(deployment.config, given) : await deployment.mint();
  try {
    return await Tpp.open(deployment, { identity, ...(profile && { credentials: profile }) });
  } catch (error) {
    if (error instanceof Refused)
      throw new InputError(`the deployment gives the client no token.\n${error.message}`, { cause: error });
    throw new InputError(
      `the connection with the client certificate fails (${codeOf(error)}). Correct certificate and key: the whole chain and its key, as PEM.`,
      { cause: error },
    );
  }
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  return errors?.length ? codeOf(errors[0]) : (error as Error).name;
}
