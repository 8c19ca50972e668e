import { EventEmitter } from 'node:events';
import { isIP, Socket } from 'node:net';
import type { LookupFunction } from 'node:net';

/** Servers that the run was told to use. */
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

/** Where a socket was opened or accepted, for the error that nobody listens to. */
const opened = new WeakMap<Socket, string | undefined>();

const prototype = Socket.prototype as unknown as Guarded;
// The workers run many test files in one process: the guard is put in once.
const attempts = (prototype.kontoportAttempts ??= install());

function install(): string[] {
  nameUnheardErrors();
  const seen: string[] = [];
  const connect = prototype.connect;
  prototype.connect = function (this: Socket, ...args: unknown[]) {
    opened.set(this, new Error('opened').stack);
    const target = targetOf(args);
    if (target === undefined) return connect.apply(this, args);
    const refuse = (address: string): Error => {
      seen.push(address);
      return new Error(`a test may not reach ${address}`);
    };
    if (typeof target.lookup === 'function' && isIP(target.host) === 0)
      target.lookup = guardLookup(target.lookup as LookupFunction, refuse);
    else if (!allowed(target.host)) {
      const error = refuse(target.host);
      process.nextTick(() => this.destroy(error));
      return this;
    }
    return connect.apply(this, args);
  };
  return seen;
}

/** An error to which nobody listens ends in whichever test file runs then: it has to say whose it is. */
function nameUnheardErrors(): void {
  const emitters = EventEmitter.prototype as unknown as { emit: (...args: unknown[]) => boolean };
  const emit = emitters.emit;
  emitters.emit = function (this: EventEmitter, ...args: unknown[]) {
    const [event, error] = args as [string, Partial<Error> | undefined];
    // Asked now: a socket that is closed does not know it any more.
    if (event === 'connection' && error instanceof Socket)
      opened.set(error, `which was accepted on port ${error.localPort}`);
    if (event === 'error' && this.listenerCount('error') === 0 && typeof error?.message === 'string') {
      error.message += ` (nobody listens to the errors of ${nameOf(this)})`;
      // Of an error without a line of ours in its stack nothing is shown but the stack's first line.
      error.stack = error.message;
    }
    return emit.apply(this, args);
  };
}

function nameOf(emitter: EventEmitter): string {
  if (!(emitter instanceof Socket)) return `this ${emitter.constructor.name}`;
  return `the socket ${emitter.localPort} → ${emitter.remotePort}, ${opened.get(emitter) ?? 'opened elsewhere'}`;
}

/** The options object of `connect`, with a host; nothing for a path. */
function targetOf(args: unknown[]): { host: string; lookup?: unknown } | undefined {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as unknown[];
  if (typeof first === 'object' && first !== null) {
    const options = first as { host?: string; path?: string; port?: unknown; lookup?: unknown };
    if (options.port === undefined) return undefined;
    options.host ??= 'localhost';
    return options as { host: string; lookup?: unknown };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return { host: typeof second === 'string' ? second : 'localhost' };
}

/** A name that the code under test resolves itself is judged by the address it gets. */
function guardLookup(lookup: LookupFunction, refuse: (address: string) => Error): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const addresses = Array.isArray(address) ? address.map((entry) => entry.address) : [address];
      const foreign = error ? undefined : addresses.find((entry) => !allowed(entry));
      if (foreign === undefined) callback(error, address, family);
      else callback(refuse(foreign), address, family);
    });
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
