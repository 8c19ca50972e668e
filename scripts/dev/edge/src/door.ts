import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Connections } from './connections.ts';
import type { EdgeAddress } from './routes.ts';

/** The first byte of a TLS connection (RFC 8446 §5.1): a record of the type handshake. */
const HANDSHAKE = 0x16;
/** A machine without IPv6, or without this address. */
const NOT_HERE = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** A listener whose port is taken. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly address: EdgeAddress;
  readonly port: number;

  constructor(address: EdgeAddress, port: number) {
    super(`port ${port} of the ${address} address is taken`);
    this.address = address;
    this.port = port;
  }
}

/** The TCP listeners of one address. */
export interface Door {
  /** The first of the hosts that this machine has. */
  host: string;
  port: number;
  /** Takes no more connections. */
  close(): void;
}

/**
 * Listens at one port of several hosts, those aside that this machine does not have, and looks at the first byte of
 * each connection.
 * @param options.silenceMs milliseconds until the first byte
 * @param options.speaksTls gets the connections that begin with a handshake, nothing of which is read yet
 * @param options.speaksPlainly gets those that begin with anything else
 * @throws PortTaken; nothing stays open then
 */
export async function openDoor(options: {
  address: EdgeAddress;
  hosts: readonly string[];
  port: number;
  connections: Connections;
  silenceMs: number;
  speaksTls: (socket: Socket) => void;
  speaksPlainly: (socket: Socket) => void;
}): Promise<Door> {
  const { address, hosts, connections, silenceMs, speaksTls, speaksPlainly } = options;
  const servers: Server[] = [];
  const here: string[] = [];
  const close = (): void => servers.forEach((server) => server.close());
  let { port } = options;
  for (const host of hosts) {
    const server = createServer({ noDelay: true }, (socket) => {
      if (connections.admit(socket) === 'admitted')
        firstByte(socket, { silenceMs, speaksTls, speaksPlainly });
    });
    try {
      server.listen({ port, host, exclusive: true });
      await once(server, 'listening');
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NOT_HERE.has(code)) continue;
      close();
      throw code === 'EADDRINUSE' || code === 'EACCES' ? new PortTaken(address, port) : error;
    }
    servers.push(server);
    here.push(host);
    ({ port } = server.address() as AddressInfo);
  }
  const [host] = here;
  if (host === undefined) throw new Error(`this machine has none of ${hosts.join(', ')}`);
  return { host, port, close };
}

function firstByte(
  socket: Socket,
  options: {
    silenceMs: number;
    speaksTls: (socket: Socket) => void;
    speaksPlainly: (socket: Socket) => void;
  },
): void {
  // Whoever hangs up here has said nothing.
  socket.on('error', () => {});
  const limit = setTimeout(() => socket.destroy(), options.silenceMs);
  socket.once('close', () => clearTimeout(limit));
  socket.once('readable', () => {
    clearTimeout(limit);
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return socket.destroy();
    socket.unshift(chunk);
    if (chunk[0] === HANDSHAKE) options.speaksTls(socket);
    else options.speaksPlainly(socket);
  });
}
