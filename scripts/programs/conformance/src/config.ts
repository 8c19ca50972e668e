import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InputError } from '@kontoport/command';
import type { IssuerFiles } from '@kontoport/issuing';
import { z } from 'zod';

/** HTTPS only: a client sends its secret and token. */
const address = z.url({ protocol: /^https$/ }).transform((url) => url.replace(/\/$/, ''));
const schema = z.object({
  baseUrl: address,
  registrationUrl: address,
  authUrl: address,
  userUrl: address,
  serverCa: z.string(),
  certificate: z.string().optional(),
  key: z.string().optional(),
  issuingCa: z
    .custom<IssuerFiles>(
      (value) => z.object({ certificate: z.string(), key: z.string() }).safeParse(value).success,
    )
    .optional(),
});

/** The addresses of a deployment, and the files that a client needs. Paths of PEM files are absolute. */
export type Config = z.infer<typeof schema>;

/** Names the four addresses (§4). */
export type Address = 'baseUrl' | 'registrationUrl' | 'authUrl' | 'userUrl';
export const ADDRESSES: readonly Address[] = ['baseUrl', 'registrationUrl', 'authUrl', 'userUrl'];

/** Reads a configuration; `stack.json` of the local stack is one. @throws InputError */
export function readConfig(file: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InputError(`${file} is not JSON. Write an object with the four addresses.`, { cause: error });
  }
  const read = schema.safeParse(value);
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new InputError(`${file} is no configuration: ${faults.join('; ')}. The README has an example.`);
  }
  const config = read.data;
  if ((config.certificate === undefined) !== (config.key === undefined))
    throw new InputError(`${file} has only one of certificate and key. Name both.`);
  const inFolder = (path: string): string => resolve(dirname(file), path);
  return {
    ...config,
    serverCa: inFolder(config.serverCa),
    ...(config.certificate !== undefined && { certificate: inFolder(config.certificate) }),
    ...(config.key !== undefined && { key: inFolder(config.key) }),
  };
}
