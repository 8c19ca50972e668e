import { type Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest, type RequestOptions, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ApiError } from '@kontoport/errors';
import { type ErrorForm, hasBody } from '@kontoport/http/refusing';
import type { ClientChain } from './client-chain.ts';
import { chainTooLarge, endAfterRest, isWhole, REFUSALS, refuse } from './refusals.ts';
import type { EdgeAddress } from './routes.ts';

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
  /^(client-cert(-chain)?|(x-)?ssl-client-(cert|chain)|x-edge-secret|forwarded|x-forwarded-.*|expect|content-length)$/;
/** Some take an underscore in a name for a dash. */
const asOneName = (name: string): string => name.toLowerCase().replaceAll('_', '-');
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

/** Drops what belongs to the connection, the fields that `Connection` names included; no request is without Host. */
function endToEnd(raw: readonly string[]): Fields {
  const fields = pairs(raw);
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.has(lower) && (lower === 'host' || !named.includes(lower));
  });
}

function requestFields(options: {
  request: IncomingMessage;
  chain: ClientChain;
  edgeSecret: string;
}): string[] {
  const { request, chain } = options;
  // Whether there is a body must reach the service as it came: chunked, of known length, or none.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const fields = endToEnd(request.rawHeaders).filter(([name]) => !EDGE_ONLY.test(asOneName(name)));
  fields.push(['X-Edge-Secret', options.edgeSecret]);
  if (chain.clientCert !== undefined) fields.push(['Client-Cert', chain.clientCert]);
  if (chain.clientCertChain !== undefined) fields.push(['Client-Cert-Chain', chain.clientCertChain]);
  if (encoding !== undefined) fields.push(['Transfer-Encoding', 'chunked']);
  else if (length !== undefined || !mayLackBody(request.method))
    fields.push(['Content-Length', length ?? '0']);
  return fields.flat();
}

/** The edge's answer when the service gave none. */
function refusalFor(error: NodeJS.ErrnoException, method: string | undefined): ApiError {
  if (error.code === 'EDGE_TIMEOUT') return REFUSALS.late;
  // Nothing was asked yet, or nothing that could have changed anything: whoever asks again loses nothing.
  return error.syscall === 'connect' || isSafe(method) ? REFUSALS.unreachable : REFUSALS.broken;
}

/** One exchange with the service: the request goes out, the answer comes back, both streamed. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  upstream: Upstream;
  headers: string[];
  form: ErrorForm | undefined;
}

const isSafe = (method: string | undefined): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
const mayLackBody = (method: string | undefined): boolean => isSafe(method) || method === 'DELETE';

/**
 * Hands a request on to its service and the answer back, both streamed. The chain goes in RFC 9440 fields together
 * with the edge's secret; what the client itself sent under these names, or as forwarding fields, never passes.
 */
export function forward(options: {
  request: IncomingMessage;
  response: ServerResponse;
  chain: ClientChain;
  upstream: Upstream;
  address: EdgeAddress;
  /** Of the edge's own refusals. */
  form: ErrorForm | undefined;
}): void {
  const { request, response, chain, upstream, address, form } = options;
  if ((chain.clientCert?.length ?? 0) + (chain.clientCertChain?.length ?? 0) > LONGEST_CHAIN)
    return refuse(response, chainTooLarge(address, request), form);
  const headers = requestFields({ request, chain, edgeSecret: upstream.edgeSecret });
  attempt({ request, response, upstream, headers, form }, 'first');
}

function attempt(exchange: Exchange, turn: 'first' | 'last'): void {
  const { request, response, upstream, headers, form } = exchange;
  const { method, socket } = request;
  const { host, port, agent } = upstream;
  const ask = agent instanceof TlsAgent ? httpsRequest : httpRequest;
  // Never the caller's Host, which Node would take for the name to verify.
  const servername = isIP(host) === 0 ? host : '';
  const outgoing = ask({
    host,
    servername,
    port,
    agent,
    method,
    path: request.url,
    headers,
  } as RequestOptions);
  const giveUp = (): void => {
    forget();
    outgoing.on('error', () => {}).destroy();
  };
  const forget = (): void => {
    response.off('close', giveUp);
    socket.off('close', giveUp);
    outgoing.off('error', failed);
  };
  outgoing.setTimeout(upstream.timeoutMs, () =>
    outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'EDGE_TIMEOUT' })),
  );
  const failed = (error: NodeJS.ErrnoException): void => {
    forget();
    request.unpipe(outgoing);
    const wasCut = error.code === 'ECONNRESET' && error.syscall !== 'connect';
    // A kept connection that the service closed in this moment: nothing was read, nothing is lost by asking again.
    const mayRepeat = isSafe(method) || (mayLackBody(method) && outgoing.reusedSocket);
    if (turn === 'first' && wasCut && mayRepeat && !hasBody(request)) attempt(exchange, 'last');
    else refuse(response, refusalFor(error, method), form);
  };
  response.once('close', giveUp);
  // An answer that waits for its turn on a pipelined connection does not hear of the connection's end.
  socket.once('close', giveUp);
  outgoing.on('error', failed);
  outgoing.on('response', (incoming) => {
    // From here on what fails is the answer.
    outgoing.off('error', failed).on('error', () => {});
    request.unpipe(outgoing);
    void handBack({ request, response, incoming }).then(() => {
      if (!outgoing.writableFinished) outgoing.destroy();
    });
  });
  if (hasBody(request)) request.pipe(outgoing);
  else outgoing.end();
}

/** An answer may come before the request is complete: then nothing more of that is read, and the connection ends. */
async function handBack(exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  incoming: IncomingMessage;
}): Promise<void> {
  const { request, response, incoming } = exchange;
  const fields = endToEnd(incoming.rawHeaders);
  if (!isWhole(request)) fields.push(['Connection', 'close']);
  response.writeHead(incoming.statusCode!, incoming.statusMessage, fields.flat());
  try {
    await pipeline(incoming, response, { end: false });
  } catch {
    response.destroy();
    return;
  }
  if (incoming.headers['content-length'] === undefined) response.end();
  else endAfterRest(response);
}
