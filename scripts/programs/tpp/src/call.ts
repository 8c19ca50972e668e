import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { text } from 'node:stream/consumers';
import { InputError, styleFor, UsageError } from '@kontoport/command';
import {
  type Answer,
  basic,
  type Call,
  explainRefusal,
  openSession,
  type ProfileOptions,
  type Session,
} from '@kontoport/profile';
import { targetOf } from './operations.ts';

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
    if (options.json) console.log(JSON.stringify(inJson(answer), undefined, 2));
    else show(request, answer);
    return answer.status < 400 ? 0 : 1;
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
async function dataFrom(given: string | undefined): Promise<string | undefined> {
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

/** The body as JSON, or as text where it is none. */
function bodyOf({ body }: Answer): unknown {
  const content = body.toString('utf8');
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}

const inJson = (answer: Answer): Record<string, unknown> => ({
  status: answer.status,
  requestId: answer.headers['x-request-id'],
  milliseconds: answer.milliseconds,
  headers: answer.headers,
  body: bodyOf(answer),
});

/** Prints the body on the standard output, and status, request id and the cure of a refusal on the standard error. */
function show(request: Call, answer: Answer): void {
  const { status, headers, milliseconds, body } = answer;
  const content = bodyOf(answer);
  if (typeof content === 'string') process.stdout.write(body);
  else console.log(JSON.stringify(content, undefined, 2));
  const style = styleFor(process.stderr, process.env);
  const outcome = style(status < 400 ? 'green' : 'red', `${status} ${STATUS_CODES[status] ?? ''}`.trim());
  console.error(`${outcome}  ${milliseconds} ms  request ${String(headers['x-request-id'])}`);
  if (status >= 400) for (const line of explainRefusal(request, answer).slice(1)) console.error(line);
}
