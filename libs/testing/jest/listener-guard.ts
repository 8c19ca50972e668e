import { isIP, Server } from 'node:net';
import { networkInterfaces } from 'node:os';

interface Guarded {
  kontoportOpened?: string[];
  listen: (...args: unknown[]) => Server;
}

const prototype = Server.prototype as unknown as Guarded;
// The workers run many test files in one process: the guard is put in once.
const opened = (prototype.kontoportOpened ??= install());

/** Lets servers of this process listen on the loopback address only, as the programs do that are tested. */
function install(): string[] {
  const seen: string[] = [];
  const listen = prototype.listen;
  prototype.listen = function (this: Server, ...args: unknown[]) {
    const host = hostOf(args);
    if (host === undefined || isOwn(host) || isNowhere(host)) return listen.apply(this, args);
    seen.push(host);
    process.nextTick(() => this.emit('error', new Error(`a test may not listen on ${host}`)));
    return this;
  };
  return seen;
}

/** Where it would listen; nothing for a path or a handle. */
function hostOf([first, second]: unknown[]): string | undefined {
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string; port?: unknown; path?: string };
    return port === undefined || path !== undefined ? undefined : (host ?? 'every address');
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return typeof second === 'string' ? second : 'every address';
}

function isOwn(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' : /^(127\.|::1$)/.test(host);
}

/** An address that this machine does not have opens nothing: how a program takes that can be tested. */
function isNowhere(host: string): boolean {
  if (isIP(host) === 0 || /^[0:.]+$/.test(host)) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return !addresses.some(({ address }) => address === host);
}

afterEach(() => {
  const found = opened.splice(0);
  if (found.length > 0) throw new Error(`the test opened a server to the network, on ${found.join(', ')}`);
});
