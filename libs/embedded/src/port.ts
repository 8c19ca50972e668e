import { createServer } from 'node:net';

// Below the range of ephemeral source ports (32768 on Linux, 49152 on macOS): a free port stays free until a server
// binds it.
const FIRST = 20_000;
const LAST = 31_999;
/** Recently returned ports, possibly unbound: none is returned twice. */
const given = new Set<number>();
const REMEMBERED = 2_000;
/** Codes of errors on a machine without IPv6. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Whether `port` can be bound on the loopback interface, also by IPv6 where it exists.
 * @throws the error of a failed attempt, such as a lack of file descriptors
 */
export async function isFree(port: number): Promise<boolean> {
  return (await canBind(port, '127.0.0.1')) && canBind(port, '::1');
}

async function canBind(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // Disconnects a client that connects to the probe.
    const probe = createServer((socket) => socket.on('error', () => {}).destroy());
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '' } = error;
      if (NO_SUCH_ADDRESS.has(code)) resolve(true);
      else if (code === 'EADDRINUSE' || code === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * Finds `count` free loopback ports that this process did not get recently. Another process may still take one first,
 * and the bind then fails.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  let candidate = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > LAST - FIRST) throw new Error(`no free port between ${FIRST} and ${LAST}`);
    const port = candidate;
    candidate = candidate < LAST ? candidate + 1 : FIRST;
    if (given.has(port)) continue;
    // Recorded before the attempt, because a concurrent call may choose the same port.
    given.add(port);
    if (await isFree(port)) ports.push(port);
    if (given.size > REMEMBERED) given.delete(given.values().next().value!);
  }
  return ports;
}

/** Finds one port, as `freePorts` does. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
