import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InputError } from '@kontoport/command';
import type { IssuerFiles } from '@kontoport/issuing';

/** The part of `stack.json` that a TPP needs. Paths are absolute. */
export interface Stack {
  baseUrl: string;
  registrationUrl: string;
  authUrl: string;
  userUrl: string;
  /** PEM: what a client trusts to reach the four addresses. */
  serverCa: string;
  /** Signs the QWACs of the sandbox, if the stack has an authority of its own. */
  issuingCa?: IssuerFiles;
}

/** Returns the path of `stack.json`: the given one, or that of the local stack. */
export function stackFile(given: string | undefined): string {
  return resolve(given ?? join(import.meta.dirname, '../../../.local/stack.json'));
}

/** Reads `stack.json` of a running stack. @throws InputError */
export function readStack(file: string): Stack {
  if (!existsSync(file))
    throw new InputError(`no stack runs: ${file} does not exist. Start one with npm start.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Stack;
}
