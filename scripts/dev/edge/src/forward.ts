import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ApiError } from '@kontoport/errors';
import { createProxyServer } from 'httpxy';
import { formOf, REFUSALS, refuse } from './refusals.ts';
import type { EdgeAddress } from './routes.ts';

/** Fields that belong to one connection (RFC 9110 §7.6.1). */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|upgrade)$/;
/** Fields that only the edge may send, and one that it has answered already. */
const EDGE_ONLY =
  /^(client-cert(-chain)?|(x-)?ssl-client-(cert|chain)|x-edge-secret|forwarded|x-forwarded-.*|expect)$/;
/** Without Host a request is refused. Without its length a body would be read as the next request. */
const NEEDED = new Set(['host', 'content-length', 'transfer-encoding']);
/** Some servers read an underscore in a name as a dash. */
const asOneName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isSafe = (method: string | undefined): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** The chain that a client presented in the handshake, as RFC 9440 fields. */
export type ClientChain = Readonly<Record<string, string>>;

/**
 * Reads the whole presented chain, leaf first, members that issued nothing included. Call it once per connection: Node
 * returns the chain beyond the leaf only the first time.
 */
export function readClientChain(socket: TLSSocket): ClientChain {
  const presented: string[] = [];
  for (let at = socket.getPeerX509Certificate(); at; at = at.issuerCertificate)
    presented.push(`:${at.raw.toString('base64')}:`);
  const [leaf, ...rest] = presented;
  return {
    ...(leaf === undefined ? {} : { 'client-cert': leaf }),
    ...(rest.length === 0 ? {} : { 'client-cert-chain': rest.join(', ') }),
  };
}

/** Returns the headers that pass. Duplicate ones pass as duplicates, so that the service refuses them. */
function passing({ rawHeaders, headers, method }: IncomingMessage): Record<string, string | string[]> {
  const named = (headers.connection ?? '').split(',').map((word) => word.trim().toLowerCase());
  const passed = new Map<string, string | string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const isOurs = HOP_BY_HOP.test(name) || EDGE_ONLY.test(asOneName(name));
    if (isOurs || (named.includes(name) && !NEEDED.has(name))) continue;
    const before = passed.get(name);
    const value = rawHeaders[at + 1]!;
    passed.set(name, before === undefined ? value : [before, value].flat());
  }
  const hasLength = passed.has('content-length') || passed.has('transfer-encoding');
  if (!hasLength && !isSafe(method)) passed.set('content-length', '0');
  return Object.fromEntries(passed);
}

/** Returns the edge's answer when the service gave none. */
function refusalFor(error: NodeJS.ErrnoException, method: string | undefined): ApiError {
  if (error.code === 'EDGE_TIMEOUT') return REFUSALS.late;
  // The service received no request, or only one without effects: the caller may repeat it.
  return error.syscall === 'connect' || isSafe(method) ? REFUSALS.unreachable : REFUSALS.broken;
}

/**
 * Makes the forwarder of an address. It sends the chain in RFC 9440 fields together with the edge's secret, and drops
 * fields of these names, and forwarding fields, that the client sent.
 * @param options.timeoutMs milliseconds without a byte from a service until the edge answers 504
 */
export function createForwarder(options: {
  address: EdgeAddress;
  inside: SecureContext | undefined;
  edgeSecret: string;
  timeoutMs: number;
}) {
  const { address, inside, edgeSecret, timeoutMs } = options;
  const kept = { keepAlive: true, maxFreeSockets: 32 };
  const agent =
    inside === undefined
      ? new Agent(kept)
      : new TlsAgent({ ...kept, secureContext: inside, rejectUnauthorized: true, maxCachedSessions: 0 });
  const proxy = createProxyServer({ agent });
  const sent = new WeakMap<ServerResponse, ClientRequest>();
  proxy.on('proxyReq', (outgoing, _request, response) => {
    sent.set(response as ServerResponse, outgoing);
    outgoing.setTimeout(timeoutMs, () =>
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'EDGE_TIMEOUT' })),
    );
  });
  proxy.on('proxyRes', ({ headers }, _request, response) => {
    for (const name of Object.keys(headers)) if (HOP_BY_HOP.test(name)) delete headers[name];
    headers.connection = (response as ServerResponse).shouldKeepAlive ? 'keep-alive' : 'close';
  });
  proxy.on('error', (error, request, response) => {
    // The caller has gone, or has been refused already.
    if (!request!.socket.writable) return;
    refuse(response as ServerResponse, refusalFor(error, request!.method), formOf(address, request!.url));
  });
  return {
    forward(
      request: IncomingMessage,
      response: ServerResponse,
      { chain, upstream }: { chain: ClientChain; upstream: { host: string; port: number } },
    ): void {
      request.headers = passing(request);
      void proxy.web(request, response, {
        target: {
          protocol: inside === undefined ? 'http:' : 'https:',
          hostname: upstream.host,
          port: upstream.port,
        },
        headers: { ...chain, 'x-edge-secret': edgeSecret, connection: 'keep-alive' },
        // Never the caller's Host, which Node would verify as the name of the service.
        ssl: { servername: isIP(upstream.host) === 0 ? upstream.host : '' },
      });
    },
    /** Cancels the request to the service that an answer waits for. */
    abort: (response: ServerResponse): void => void sent.get(response)?.destroy(),
  };
}
