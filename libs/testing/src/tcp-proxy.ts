import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire to a server that a test can disturb. */
export interface TcpProxy {
  port: number;
  /** Holds the data of both directions; connections stay open, as over a pulled cable. */
  stall(): void;
  /** Sends held data and continues. */
  resume(): void;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Accepts connections again. */
  mend(): void;
  close(): Promise<void>;
}

/**
 * Forwards a free loopback port to `target`.
 * @param target.host default: the loopback address
 * @param target.port the port, or a function called for each connection
 */
export async function openTcpProxy(target: {
  host?: string;
  port: number | (() => number);
}): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let stalled = false;
  let broken = false;
  const server = createServer((near) => {
    // The owner of the connection sees its end; here it must not fail the test.
    near.on('error', () => {});
    if (broken) return near.resetAndDestroy();
    const port = typeof target.port === 'number' ? target.port : target.port();
    const far = connect({ host: '127.0.0.1', ...target, port });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (stalled) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    broken = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    mend: () => (broken = false),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
