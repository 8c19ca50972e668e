import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ApiError } from '@kontoport/errors';
import type { ErrorForm } from '@kontoport/http/refusing';
import { createProxyServer } from 'httpxy';
import { endAfterRest, isWhole, REFUSALS, refuse } from './refusals.ts';

/** Fields that belong to one connection (RFC 9110 §7.6.1); the proxy speaks for itself. */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|upgrade)$/;
/** Fields with which only the edge may speak, and one that it has answered already. */
const EDGE_ONLY =
  /^(client-cert(-chain)?|(x-)?ssl-client-(cert|chain)|x-edge-secret|forwarded|x-forwarded-.*|expect)$/;
/** No request is without Host, and a body without its end would be read as the next request. */
const NEEDED = new Set(['host', 'content-length', 'transfer-encoding']);
/** Some take an underscore in a name for a dash. */
const asOneName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isSafe = (method: string | undefined): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** The chain that a client presented in the handshake, as RFC 9440 fields. */
export type ClientChain = Readonly<Record<string, string>>;

/**
 * Reads the whole presented chain, leaf first, members that issued nothing included. Call it once per connection: Node
 * hands the chain beyond the leaf out only the first time.
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

/** What passes of the headers of a request, doubled ones included, for the service to refuse. */
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
  if (!hasLength && !isSafe(method) && method !== 'DELETE') passed.set('content-length', '0');
  return Object.fromEntries(passed);
}

/** The edge's answer when the service gave none. */
function refusalFor(error: NodeJS.ErrnoException, method: string | undefined): ApiError {
  if (error.code === 'EDGE_TIMEOUT') return REFUSALS.late;
  // Nothing was asked yet, or nothing that could have changed anything: whoever asks again loses nothing.
  return error.syscall === 'connect' || isSafe(method) ? REFUSALS.unreachable : REFUSALS.broken;
}

/** Hands an answer on. It may come before the request is complete: then the connection ends after it. */
function handBack(incoming: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  const fields = Object.entries(incoming.headers).filter(
    ([name]) => !HOP_BY_HOP.test(name) && name !== 'transfer-encoding',
  );
  if (!isWhole(request)) fields.push(['connection', 'close']);
  response.writeHead(incoming.statusCode!, incoming.statusMessage, Object.fromEntries(fields));
  incoming.pipe(response, { end: false });
  incoming.once('end', () => {
    if (incoming.headers['content-length'] === undefined) response.end();
    else endAfterRest(response);
  });
}

/** Forwards requests to the services. */
export interface Forwarder {
  forward(call: {
    request: IncomingMessage;
    response: ServerResponse;
    chain: ClientChain;
    upstream: { host: string; port: number };
    /** Of the edge's own refusals. */
    form: ErrorForm | undefined;
  }): void;
  /** Gives up what is asked for an answer. */
  abort(response: ServerResponse): void;
}

/**
 * Makes the way to the services. The chain goes in RFC 9440 fields together with the edge's secret; what the client
 * itself sent under these names, or as forwarding fields, never passes.
 * @param options.timeoutMs milliseconds without a byte from a service after which it counts as late
 */
export function createForwarder(options: {
  inside: SecureContext | undefined;
  edgeSecret: string;
  timeoutMs: number;
}): Forwarder {
  const { inside, edgeSecret, timeoutMs } = options;
  const kept = { keepAlive: true, maxFreeSockets: 32 };
  const agent =
    inside === undefined
      ? new Agent(kept)
      : new TlsAgent({ ...kept, secureContext: inside, rejectUnauthorized: true, maxCachedSessions: 0 });
  const proxy = createProxyServer({ agent, selfHandleResponse: true });
  const forms = new WeakMap<ServerResponse, ErrorForm>();
  const asked = new WeakMap<ServerResponse, ClientRequest>();
  proxy.on('proxyReq', (outgoing, _request, response) => {
    asked.set(response as ServerResponse, outgoing);
    outgoing.setTimeout(timeoutMs, () =>
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'EDGE_TIMEOUT' })),
    );
  });
  proxy.on('proxyRes', (incoming, request, given) => handBack(incoming, request, given as ServerResponse));
  proxy.on('error', (error, request, given) => {
    const response = given as ServerResponse;
    // What fails now is an answer that has begun, or that nobody can read any more.
    if (response.headersSent || !request!.socket.writable) return;
    refuse(response, refusalFor(error, request!.method), forms.get(response));
  });
  return {
    forward({ request, response, chain, upstream, form }) {
      if (form !== undefined) forms.set(response, form);
      const own = { ...chain, 'x-edge-secret': edgeSecret, connection: 'keep-alive' };
      request.headers = passing(request);
      void proxy.web(request, response, {
        target: {
          protocol: inside === undefined ? 'http:' : 'https:',
          hostname: upstream.host,
          port: upstream.port,
        },
        headers: own,
        // Never the caller's Host, which Node would take for the name to verify.
        ssl: { servername: isIP(upstream.host) === 0 ? upstream.host : '' },
      });
    },
    abort: (response) => void asked.get(response)?.destroy(),
  };
}
