import { isIP, Socket } from 'node:net';

/** Servers that the run was given by the environment. */
const GIVEN = new Set(
  [
    process.env.KONTOPORT_TEST_POSTGRES,
    ...(process.env.KAFKA_BROKERS ?? '').split(',').map((host) => `kafka://${host}`),
  ]
    .filter((url) => url !== undefined && URL.canParse(url))
    .map((url) => new URL(url!).hostname),
);

interface Guarded {
  kontoportAttempts?: string[];
  connect: (...args: unknown[]) => Socket;
}

const prototype = Socket.prototype as unknown as Guarded;
// A worker runs many test files in one process: the guard is installed once.
const attempts = (prototype.kontoportAttempts ??= install());

/**
 * Refuses connections to other addresses than loopback. It wraps `connect`, which every client of Node calls; the
 * channel `net.client.socket` reports neither TLS nor custom sockets.
 */
function install(): string[] {
  const seen: string[] = [];
  const connect = prototype.connect;
  prototype.connect = function (this: Socket, ...args: unknown[]) {
    const target = targetOf(args);
    const refuse = (address: string): void => {
      seen.push(address);
      this.destroy(new Error(`a test may not reach ${address}`));
    };
    if (target !== undefined && !allowed(target.host)) {
      if (!target.looksUp || isIP(target.host) !== 0) {
        process.nextTick(refuse, target.host);
        return this;
      }
      // If the code under test resolves a name itself, the guard checks the address.
      this.on('lookup', (error, address) => {
        if (error === null && !allowed(address)) refuse(address);
      });
    }
    return connect.apply(this, args);
  };
  return seen;
}

/** The host of a `connect`, and whether it brings a `lookup`; nothing for a path. */
function targetOf(args: unknown[]): { host: string; looksUp: boolean } | undefined {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as unknown[];
  if (typeof first === 'object' && first !== null) {
    const { host = 'localhost', port, lookup } = first as { host?: string; port?: unknown; lookup?: unknown };
    return port === undefined ? undefined : { host, looksUp: typeof lookup === 'function' };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return { host: typeof second === 'string' ? second : 'localhost', looksUp: false };
}

function allowed(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^(::ffff:)?127\./.test(host) ||
    host === '::1' ||
    host === '[::1]' ||
    GIVEN.has(host)
  );
}

afterEach(() => {
  const reached = attempts.splice(0);
  if (reached.length > 0) throw new Error(`the test reached out to ${reached.join(', ')}`);
});
