import type { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { nodeHttp } from './node-http.ts';

/** A collector says that it took what was sent, or how much of it not; with all that stands around. */
const MOST_ANSWER_BYTES = 16 * 1024;

/** Whom to trust, and what proves us, in PEM; absent: whom Node trusts, and nothing. */
export interface CollectorTls {
  ca?: string;
  cert?: string;
  key?: string;
}

/**
 * How the exporter connects to a collector. An answer that is longer than 16 kB, interim ones and what frames its body included, or not
 * whole after `limitMs`, ends its connection: the exporter itself takes megabytes, of a byte each, interim answers without end, and any
 * time as long as something comes.
 */
export function collectorAgent(options: { tls: CollectorTls; limitMs: number }): (protocol: string) => Agent {
  const { tls, limitMs } = options;
  return (protocol) => {
    const agent =
      protocol === 'http:'
        ? new nodeHttp.Agent({ keepAlive: true })
        : new TlsAgent({ keepAlive: true, ...tls });
    const bounds = new WeakMap<Duplex, AnswerBound>();
    const connect = agent.createConnection.bind(agent);
    const keep = agent.keepSocketAlive.bind(agent);
    const reuse = agent.reuseSocket.bind(agent);
    agent.createConnection = (to, callback) => {
      const socket = connect(to, callback);
      if (socket) bounds.set(socket, new AnswerBound(socket, limitMs));
      return socket;
    };
    // Types say nothing of what it returns: whether the connection is kept.
    agent.keepSocketAlive = (socket) => {
      bounds.get(socket)?.end();
      return keep(socket);
    };
    agent.reuseSocket = (socket, request) => {
      bounds.get(socket)?.begin();
      reuse(socket, request);
    };
    return agent;
  };
}

/** Ends a connection whose answer goes on for too long. */
class AnswerBound {
  readonly #socket: Duplex;
  readonly #limitMs: number;
  #bytes = 0;
  #limit: NodeJS.Timeout | undefined;

  constructor(socket: Duplex, limitMs: number) {
    this.#socket = socket;
    this.#limitMs = limitMs;
    this.begin();
    socket.on('data', ({ length }: Buffer) => {
      this.#bytes += length;
      if (this.#bytes > MOST_ANSWER_BYTES) socket.destroy(new Error('the collector says too much'));
    });
    socket.once('close', () => this.end());
  }

  begin(): void {
    this.#bytes = 0;
    const late = (): void => void this.#socket.destroy(new Error('the collector takes too long'));
    this.#limit = setTimeout(late, this.#limitMs).unref();
  }

  end(): void {
    clearTimeout(this.#limit);
  }
}
