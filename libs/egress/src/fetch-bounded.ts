import { EndlessAnswer } from './bound-answers.ts';
import {
  createGuardedAgent,
  EgressForbidden,
  type GuardedAgent,
  type GuardedAgentOptions,
  isConnectTimeout,
} from './guarded-agent.ts';
import { errors } from './undici.ts';

export interface BoundedRequest {
  /** http or https; anything else, and a URL with user name or password, is refused. */
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** A longer answer is given up. */
  maxBytes: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The body of a 200, or why there is none, in words; a temporary fault may be gone when the request is repeated. */
export type Fetched = { bytes: Uint8Array } | { fault: string; isTemporary: boolean };

const lasting = (fault: string): Fetched => ({ fault, isTemporary: false });
const temporary = (fault: string): Fetched => ({ fault, isTemporary: true });

/** Makes requests, each bounded in time and size; redirects are not followed. Never rejects. */
export interface BoundedFetch {
  (request: BoundedRequest): Promise<Fetched>;
  /** Ends all connections. */
  destroy(): Promise<void>;
}

/** What may stand around a body: headers, those of interim answers, and frames as long as what they hold. */
const answerBytesOf = (maxBytes: number): number => 2 * maxBytes + 64 * 1024;

/** @param options of the guard; connections belong to one size of answers, of which there are few */
export function createBoundedFetch(options: Omit<GuardedAgentOptions, 'answerBytes'>): BoundedFetch {
  const agents = new Map<number, GuardedAgent>();
  const agentFor = (maxBytes: number): GuardedAgent => {
    const known = agents.get(maxBytes);
    if (known !== undefined) return known;
    const agent = createGuardedAgent({ ...options, answerBytes: answerBytesOf(maxBytes) });
    agents.set(maxBytes, agent);
    return agent;
  };
  const fetch = (request: BoundedRequest): Promise<Fetched> =>
    fetchBounded(agentFor(request.maxBytes), request);
  return Object.assign(fetch, {
    destroy: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  });
}

/** Makes one request over a guarded agent. */
export async function fetchBounded(agent: GuardedAgent, request: BoundedRequest): Promise<Fetched> {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return lasting('is no http or https URL');
  const ended = agent.begin(url.origin);
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // An abort is not heeded while a connection is being made, so time runs beside the request.
  const timeout = new Promise<Fetched>((settle) => {
    timer = setTimeout(() => {
      abort.abort();
      settle(temporary('gives no answer in time'));
    }, request.timeLimit);
  });
  const answer = exchange(agent, { ...request, target: url, signal: abort.signal });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
    ended();
  }
}

async function exchange(
  agent: GuardedAgent,
  request: BoundedRequest & { target: URL; signal: AbortSignal },
): Promise<Fetched> {
  const { target, method, headers, body, maxBytes, signal } = request;
  try {
    const answer = await agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const { statusCode: status } = answer;
    if (status !== 200) {
      await answer.body.dump({ limit: 16 * 1024, signal }).catch(() => {});
      const fault = `answers ${status}`;
      return status >= 500 || status === 408 || status === 429 ? temporary(fault) : lasting(fault);
    }
    return await readBody(answer.body, maxBytes);
  } catch (error) {
    return faultOf(error);
  }
}

async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Fetched> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop destroys the body, and the connection with it.
    if (length > maxBytes) return lasting(`answers more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}

function faultOf(error: unknown): Fetched {
  if (error instanceof EgressForbidden) return lasting(error.message);
  if (error instanceof EndlessAnswer) return lasting('answers without end');
  if (error instanceof errors.HeadersOverflowError) return lasting('answers with too many headers');
  if (isConnectTimeout(error)) return temporary('gives no answer in time');
  if (error instanceof errors.HTTPParserError) return lasting('does not speak HTTP');
  return temporary('cannot be reached');
}
