import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ProtocolError } from './bytes.ts';
import { type Connection, type ConnectionLimits, Connections } from './connections.ts';
import type { LogLimits } from './partition-log.ts';
import { answerRequest } from './requests.ts';
import { BrokerState } from './state.ts';

export interface BrokerOptions {
  /** Where logs and offsets are kept; what is there already is served again. */
  folder: string;
  /** 0 lets the system choose. */
  port: number;
  topics: readonly { name: string; partitions: number }[];
  limits?: Partial<LogLimits & ConnectionLimits>;
}

const HOST = '127.0.0.1';
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const LIMITS: LogLimits & ConnectionLimits = {
  segmentBytes: 8 * 1024 * 1024,
  retentionMs: 7 * 24 * 60 * 60_000,
  connections: 1_000,
  firstRequestMs: 10_000,
  idleMs: 10 * 60_000,
};

/** Serves a broker on the loopback address until it is closed. */
export async function serveBroker(options: BrokerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const limits = { ...LIMITS, ...options.limits };
  const state = new BrokerState(options.folder, limits);
  for (const { name, partitions } of options.topics) state.createTopic(name, partitions);
  const closing = new AbortController();
  const connections = new Connections(limits);
  const server = createServer({ noDelay: true }, (socket) => {
    // A connection that breaks is the client's to make anew.
    socket.on('error', () => {});
    const connection = connections.admit(socket);
    if (connection === undefined) return;
    const { port } = server.address() as AddressInfo;
    void serveConnection(connection, { state, host: HOST, port, signal: closing.signal });
  });
  server.listen(options.port, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      closing.abort();
      server.close();
      connections.close();
      await closed;
      state.close();
    },
  };
}

/** Answers the requests of a connection in their order, one at a time, as the protocol demands. */
async function serveConnection(
  connection: Connection,
  context: { state: BrokerState; host: string; port: number; signal: AbortSignal },
): Promise<void> {
  const { socket } = connection;
  try {
    for await (const frame of frames(socket)) {
      const answer = await connection.during(() => answerRequest(frame, context));
      if (answer === undefined) continue;
      const length = Buffer.allocUnsafe(4);
      length.writeInt32BE(answer.length);
      socket.cork();
      socket.write(length);
      const flowing = socket.write(answer);
      socket.uncork();
      if (!flowing && !socket.destroyed) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
  } catch (error) {
    if (!(error instanceof ProtocolError) && !socket.destroyed)
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  } finally {
    socket.destroy();
  }
}

/** The requests of a connection, each without its length; their size is bounded before they are kept. */
async function* frames(socket: Socket): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  let wanted = 4;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) continue;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (;;) {
      if (bytes.length < 4) {
        wanted = 4;
        break;
      }
      const size = bytes.readInt32BE(0);
      if (size < 8 || size > MAX_REQUEST_BYTES) throw new ProtocolError(`a request of ${size} bytes`);
      wanted = 4 + size;
      if (bytes.length < wanted) break;
      yield bytes.subarray(4, wanted);
      bytes = bytes.subarray(wanted);
    }
    chunks = bytes.length === 0 ? [] : [bytes];
    length = bytes.length;
  }
}
