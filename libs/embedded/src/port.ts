import { createServer } from 'node:net';

// Below the range from which systems take the source ports of outgoing connections (32768 on Linux, 49152 on
// macOS): what is found free stays free until somebody binds it on purpose.
const FIRST = 20_000;
const LAST = 31_999;
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
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '' } = error;
      if (NO_SUCH_ADDRESS.has(code)) resolve(true);
      else if (code === 'EADDRINUSE' || code === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** `count` different loopback ports that nobody listens on; whoever binds one may still lose a race, and should say so. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  let candidate = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > LAST - FIRST) throw new Error(`no free port between ${FIRST} and ${LAST}`);
    if (await isFree(candidate)) ports.push(candidate);
    candidate = candidate < LAST ? candidate + 1 : FIRST;
  }
  return ports;
}

/** One of `freePorts`. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
