import { type Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { ApiError } from '@kontoport/errors';
import { requestIdOf } from '@kontoport/http/refusing';
import type { ClientChain } from './client-chain.ts';
import { REFUSALS, refuse } from './refusals.ts';

/** Fields that belong to one connection (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/**
 * Fields with which only the edge may speak, one that it has answered already, and the one that says where the body
 * ends: `Connection` may name it, and a body without its end would be read as the next request.
 */
const EDGE_ONLY =
  /^(client-cert|client-cert-chain|x-edge-secret|forwarded|x-forwarded-.*|expect|content-length)$/;
/** The services take 64 KB of headers in all. */
const LONGEST_CHAIN = 44 * 1024;

export interface Upstream {
  host: string;
  port: number;
  agent: Agent;
  edgeSecret: string;
  /** Milliseconds without a byte from the service after which the edge gives up. */
  timeoutMs: number;
}

type Fields = [name: string, value: string][];

function pairs(raw: readonly string[]): Fields {
  const fields: Fields = [];
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push([raw[i]!, raw[i + 1]!]);
  return fields;
}

/** Drops what belongs to the connection, the fields that `Connection` names included. */
function endToEnd(raw: readonly string[]): Fields {
  const fields = pairs(raw);
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.has(lower) && !named.includes(lower);
  });
}

function requestFields(options: {
  request: IncomingMessage;
  chain: ClientChain;
  edgeSecret: string;
  requestId: string;
}): string[] {
  const { request, chain } = options;
  // Whether there is a body must reach the service as it came: chunked, of known length, or none.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const fields = endToEnd(request.rawHeaders).filter(([name]) => !EDGE_ONLY.test(name.toLowerCase()));
  fields.push(['X-Edge-Secret', options.edgeSecret]);
  if (chain.clientCert !== undefined) fields.push(['Client-Cert', chain.clientCert]);
  if (chain.clientCertChain !== undefined) fields.push(['Client-Cert-Chain', chain.clientCertChain]);
  if (request.headers['x-request-id'] === undefined) fields.push(['X-Request-Id', options.requestId]);
  if (encoding !== undefined) fields.push(['Transfer-Encoding', 'chunked']);
  else if (length !== undefined || !isSafe(request.method)) fields.push(['Content-Length', length ?? '0']);
  return fields.flat();
}

/** The edge's answer when the service gave none. */
function refusalFor(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'EDGE_TIMEOUT') return REFUSALS.late;
  return error.code === 'ECONNREFUSED' || error.code === 'ETIMEDOUT' ? REFUSALS.unreachable : REFUSALS.broken;
}

/** One exchange with the service: the request goes out, the answer comes back, both streamed. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  upstream: Upstream;
  headers: string[];
  hasBody: boolean;
  /** The services see and echo the same id. */
  ids: ReturnType<typeof requestIdOf>;
}

const isSafe = (method: string | undefined): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'DELETE';

/**
 * Hands a request on to its service and the answer back, both streamed. The chain goes in RFC 9440 fields together
 * with the edge's secret; what the client itself sent under these names, or as forwarding fields, never passes.
 */
export function forward(options: {
  request: IncomingMessage;
  response: ServerResponse;
  chain: ClientChain;
  upstream: Upstream;
}): void {
  const { request, response, chain, upstream } = options;
  const ids = requestIdOf(request);
  if ((chain.clientCert?.length ?? 0) + (chain.clientCertChain?.length ?? 0) > LONGEST_CHAIN) {
    refuse(response, REFUSALS.chainTooLarge, ids);
    return;
  }
  const { edgeSecret } = upstream;
  const headers = requestFields({ request, chain, edgeSecret, requestId: ids.requestId });
  const hasBody =
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  attempt({ request, response, upstream, headers, hasBody, ids }, isSafe(request.method) ? 'again' : 'once');
}

function attempt(exchange: Exchange, tries: 'again' | 'once'): void {
  const { request, response, upstream, headers, hasBody, ids } = exchange;
  const { host, port, agent } = upstream;
  const outgoing = httpRequest({ host, port, agent, method: request.method, path: request.url, headers });
  const giveUp = (): void => void outgoing.destroy();
  response.once('close', giveUp);
  outgoing.setTimeout(upstream.timeoutMs, () =>
    outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'EDGE_TIMEOUT' })),
  );
  outgoing.on('response', (incoming) => handBack(exchange, incoming));
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    response.off('close', giveUp);
    request.unpipe(outgoing);
    // A kept connection that the service closed in this moment: nothing was read, nothing is lost by asking again.
    const wasClosed = outgoing.reusedSocket && error.code === 'ECONNRESET';
    if (tries === 'again' && wasClosed && !hasBody && !response.headersSent) attempt(exchange, 'once');
    else refuse(response, refusalFor(error), ids);
  });
  if (hasBody) request.pipe(outgoing);
  else outgoing.end();
}

function handBack({ request, response, ids }: Exchange, incoming: IncomingMessage): void {
  const fields = endToEnd(incoming.rawHeaders);
  if (incoming.headers['x-request-id'] === undefined) fields.push(['X-Request-Id', ids.requestId]);
  if (!request.complete) fields.push(['Connection', 'close']);
  response.writeHead(incoming.statusCode!, incoming.statusMessage, fields.flat());
  pipeline(incoming, response, (error) => {
    if (error) response.destroy();
  });
}
