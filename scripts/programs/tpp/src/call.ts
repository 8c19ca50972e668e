import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { InputError, UsageError } from '@kontoport/command';
import { basic, type Call, openSession, type ProfileOptions, type Session } from '@kontoport/profile';
import { targetOf } from './operations.ts';
import { printAnswer } from './print-answer.ts';

/** The options of `kontoport call`. */
export interface CallOptions extends ProfileOptions {
  data?: string;
  header?: string[];
  json?: boolean;
}

/** Calls an operation and prints its answer. @returns the exit status: 1 for an answer of 400 or more */
export async function call(method: string, path: string, options: CallOptions): Promise<number> {
  const session = openSession(options);
  try {
    const request = requestOf(session, {
      method: method.toUpperCase(),
      path,
      headers: headersFrom(options.header),
      data: await dataFrom(options.data),
    });
    const answer = await session.send(request);
    return printAnswer(request, answer, options);
  } finally {
    await session.close();
  }
}

/** Makes the request: its address, its body and how the client authenticates. */
function requestOf(
  { stack, profile }: Session,
  given: { method: string; path: string; headers: Record<string, string>; data: string | undefined },
): Call {
  const { method, headers, data } = given;
  const addresses = [stack.baseUrl, stack.registrationUrl, stack.authUrl, stack.userUrl];
  const named = addresses.find((address) => given.path.startsWith(`${address}/`));
  const path = named === undefined ? given.path : given.path.slice(named.length);
  if (!path.startsWith('/')) throw new UsageError(`PATH begins with / or with an address of the stack`);
  const { address, takesCredentials, takesForm } = targetOf(method, path);
  return {
    method,
    url: (named ?? stack[address]) + path,
    headers: {
      accept: 'application/json',
      ...(takesCredentials && { authorization: basic(profile) }),
      ...(data !== undefined && {
        'content-type': takesForm ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...headers,
    },
    ...(data !== undefined && { body: takesForm ? formOf(data) : data }),
  };
}

function headersFrom(lines: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const parts = /^([\w-]+):\s*(.*)$/s.exec(line);
      if (parts === null) throw new UsageError(`--header "${line}" is not of the form "Name: value"`);
      return [parts[1]!.toLowerCase(), parts[2]!];
    }),
  );
}

/** Reads JSON from the command line, from a file (`@file`) or from the standard input (`@-`). */
export async function dataFrom(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const data = given.startsWith('@')
    ? given === '@-'
      ? await text(process.stdin)
      : readFileSync(given.slice(1), 'utf8')
    : given;
  try {
    JSON.parse(data);
  } catch (error) {
    throw new InputError(`--data is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return data;
}

function formOf(data: string): string {
  const fields = Object.entries(JSON.parse(data) as Record<string, unknown>);
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
