import { createServer } from 'node:net';

// Below the range from which systems take the source ports of outgoing connections (32768 on Linux, 49152 on
// macOS): what is found free stays free until somebody binds it on purpose.
const FIRST = 20_000;
const LAST = 31_999;
/** What this process was given lately and may not have bound yet: it is not given twice. */
const given = new Set<number>();
const REMEMBERED = 2_000;
/** Of a machine without IPv6. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * True when `port` can be bound now on the loopback interface, by its IPv6 address as well where there is one.
 * @throws what keeps this process from trying, such as a lack of file descriptors
 */
export async function isFree(port: number): Promise<boolean> {
  return (await canBind(port, '127.0.0.1')) && canBind(port, '::1');
}

async function canBind(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // Who calls just now, such as somebody who waits for a server on this port, is let go.
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
 * `count` different loopback ports that nobody listens on, and that this process was not given lately; against another
 * process whoever binds one may still lose a race, and should say so.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  let candidate = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > LAST - FIRST) throw new Error(`no free port between ${FIRST} and ${LAST}`);
    const port = candidate;
    candidate = candidate < LAST ? candidate + 1 : FIRST;
    if (given.has(port)) continue;
    // Before it is tried: another call may come by meanwhile.
    given.add(port);
    if (await isFree(port)) ports.push(port);
    if (given.size > REMEMBERED) given.delete(given.values().next().value!);
  }
  return ports;
}

/** One of `freePorts`. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
