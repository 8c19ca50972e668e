import { setTimeout as pause } from 'node:timers/promises';
import { type Style, styleFor } from '@kontoport/command';
import { openSession, type ProfileOptions, Refused } from '@kontoport/profile';

/** The options of `kontoport requests`. */
export interface RequestsOptions extends ProfileOptions {
  status?: string;
  client?: string;
  id?: string;
  limit?: string;
  follow?: boolean;
  json?: boolean;
}

/** A request of the log; see the OpenAPI document. */
interface LoggedRequest {
  id: string;
  time: string;
  requestId: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  refusal?: { errorCode: string; message: string; cure: string; explanation: string };
}

/** The query, by its names in the OpenAPI document. */
type Filter = Readonly<Record<string, string | undefined>>;

const PAUSE_MS = 1_000;
/** A request comes into the log when it is answered, which may take so long. */
const MAX_ANSWER_MS = 30_000;

/** Prints the request log of the organization, the newest request last. With `follow` it prints new requests until Ctrl-C. */
export async function requests(options: RequestsOptions): Promise<number> {
  const { status, client: clientId, id: requestId, limit, follow } = options;
  const filter = { status, clientId, requestId };
  // The reader has gone (kontoport requests --follow | head).
  process.stdout.on('error', () => process.exit(0));
  const started = new Date().toISOString();
  const found = await read(options, { ...filter, limit });
  print(found, options);
  if (follow) await printNew(found, { options, filter, started });
  return 0;
}

/** Prints the requests after those that were found, until the process ends. */
async function printNew(
  found: readonly LoggedRequest[],
  { options, filter, started }: { options: RequestsOptions; filter: Filter; started: string },
): Promise<never> {
  const first = Date.parse(found[0]?.time ?? started);
  let newest = Date.parse(found.at(-1)?.time ?? started);
  let printed = new Set(found.map(({ id }) => id));
  let isAway = false;
  for (;;) {
    await pause(PAUSE_MS);
    const since = new Date(Math.max(first, newest - MAX_ANSWER_MS)).toISOString();
    try {
      const recent = await read(options, { ...filter, since, limit: '100' }, { all: true });
      print(
        recent.filter(({ id }) => !printed.has(id)),
        options,
      );
      printed = new Set(recent.map(({ id }) => id));
      newest = Math.max(newest, Date.parse(recent.at(-1)?.time ?? started));
      isAway = false;
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
      if (!isAway) console.error(`The log cannot be read at the moment: ${(error as Error).message}`);
      isAway = true;
    }
  }
}

/** Reads a page of the log, or all pages, the oldest request first. The stack may have restarted since the last time. */
async function read(options: ProfileOptions, filter: Filter, { all = false } = {}): Promise<LoggedRequest[]> {
  const session = openSession(options);
  try {
    const found: LoggedRequest[] = [];
    let cursor: string | undefined;
    do {
      const given = Object.entries({ ...filter, cursor }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const page = (await session.ask(
        'GET',
        `/sandbox/requests?${new URLSearchParams(given).toString()}`,
      )) as unknown as { requests: LoggedRequest[]; nextCursor?: string };
      found.push(...page.requests);
      cursor = page.nextCursor;
    } while (all && cursor !== undefined);
    return found.toReversed();
  } finally {
    await session.close();
  }
}

function print(found: readonly LoggedRequest[], { json }: RequestsOptions): void {
  const style = styleFor(process.stdout, process.env);
  for (const request of found) console.log(json ? JSON.stringify(request) : lineOf(request, style));
}

function lineOf(request: LoggedRequest, style: Style): string {
  const { time, status, method, route, milliseconds, requestId, refusal } = request;
  const line = [
    style('dim', time.slice(11, 23)),
    style(refusal === undefined ? 'green' : 'red', String(status)),
    `${method} ${route}`,
    `${milliseconds} ms`,
    style('dim', requestId),
  ].join('  ');
  if (refusal === undefined) return line;
  const { errorCode, message, cure, explanation } = refusal;
  return `${line}\n  ${errorCode}: ${message}\n  Cure: ${cure} (${explanation})`;
}
