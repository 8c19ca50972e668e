import { type FaultReason, faultReason } from './faults.ts';
import { createGuardedAgent, type GuardedAgent, type GuardedAgentOptions } from './guarded-agent.ts';

export interface BoundedRequest {
  /** http or https; anything else, and a URL with user name or password, is refused. */
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** A longer answer is a fault. */
  maxBytes: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The body of a 200, or a fault. Repeat the request after a temporary fault. */
export type Fetched = { bytes: Uint8Array } | { fault: string; isTemporary: boolean };

const lasting = (fault: string): Fetched => ({ fault, isTemporary: false });
const temporary = (fault: string): Fetched => ({ fault, isTemporary: true });

/** Makes requests, each bounded in time and size; redirects are not followed. Never rejects. */
export interface BoundedFetch {
  (request: BoundedRequest): Promise<Fetched>;
  /** Ends all connections. */
  destroy(): Promise<void>;
}

/** The bytes around a body: headers, those of interim answers, and chunk framing as long as the chunks. */
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
  const { method, headers, body, maxBytes, timeLimit } = request;
  const { answer, fault } = await agent.exchange({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: Object.entries(headers).flat(),
    body,
    maxBytes,
    keptBytes: (status) => (status === 200 ? maxBytes : 0),
    timeLimit,
  });
  if (answer !== undefined && answer.status !== 200) return refusal(answer.status);
  return fault === undefined ? { bytes: answer!.body } : describe(faultReason(fault), fault, maxBytes);
}

function refusal(status: number): Fetched {
  const fault = `answers ${status}`;
  return status >= 500 || status === 408 || status === 429 ? temporary(fault) : lasting(fault);
}

function describe(reason: FaultReason, { message }: Error, maxBytes: number): Fetched {
  switch (reason) {
    case 'address':
      return lasting(message);
    case 'answer-too-long':
      return lasting('answers without end');
    case 'body-too-long':
      return lasting(`answers more than ${maxBytes} bytes`);
    case 'protocol':
      return lasting('does not speak HTTP');
    case 'timeout':
      return temporary('gives no answer in time');
    case 'dns':
    case 'proxy':
    case 'refused':
    case 'tls':
    case 'certificate':
    case 'reset':
      return temporary('cannot be reached');
  }
}
