import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';

/** The largest attachment has 10 MB; an answer beyond this bound is not read. */
const MAX_ANSWER_BYTES = 32_000_000;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Exchange {
  readonly agent: Agent;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** Sends one request and reads the whole answer. @throws the error of Node.js without a complete answer */
export async function exchange({ url, body, ...options }: Exchange): Promise<Answer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request(url, { ...options, headers: { ...options.headers, ...length } });
  // `once` below rejects with an error before the answer. The reader of the answer notices a later one.
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(chunks) };
}
