import { createServer } from 'node:net';

// Below the range from which systems take the source ports of outgoing connections (32768 on Linux, 49152 on
// macOS): what is found free stays free until somebody binds it on purpose.
const FIRST = 20_000;
const LAST = 31_999;

/** True when `port` on the loopback interface can be bound now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
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
