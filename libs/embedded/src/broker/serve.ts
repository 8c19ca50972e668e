import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ProtocolError } from './bytes.ts';
import { answerRequest } from './requests.ts';
import { BrokerState } from './state.ts';

export interface BrokerOptions {
  /** The folder of logs and offsets; existing ones are served again. */
  folder: string;
  /** 0: any free port. */
  port: number;
  topics: readonly { name: string; partitions: number }[];
}

const HOST = '127.0.0.1';
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 1_000;

/** Serves a broker on the loopback address until it is closed. */
export async function serveBroker(options: BrokerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const state = new BrokerState(options.folder);
  for (const { name, partitions } of options.topics) state.createTopic(name, partitions);
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    // The client replaces a broken connection.
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    const { port } = server.address() as AddressInfo;
    void serveConnection(socket, { state, host: HOST, port, signal: closing.signal });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      closing.abort();
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      state.close();
    },
  };
}

/** Answers the requests of a connection in order, one at a time, as the protocol requires. */
async function serveConnection(
  socket: Socket,
  context: { state: BrokerState; host: string; port: number; signal: AbortSignal },
): Promise<void> {
  try {
    for await (const frame of frames(socket)) {
      const answer = await answerRequest(frame, context);
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

/** Yields the requests of a connection without their lengths, which are bounded before buffering. */
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
