import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '@kontoport/command';
import { openSession, type ProfileOptions } from '@kontoport/profile';
import { Access } from './access.ts';
import { createApp } from './app.ts';

const HOST = '127.0.0.1';

/** The options of `kontoport console`. */
export interface ConsoleOptions extends ProfileOptions {
  port: string;
}

/** Serves the console until SIGINT or SIGTERM. @returns the exit status */
export async function serveConsole(options: ConsoleOptions): Promise<number> {
  if (!/^\d{1,5}$/.test(options.port) || Number(options.port) > 65_535)
    throw new UsageError('--port must be a port from 0 to 65535');
  const stopped = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const session = openSession(options);
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 });
  server.listen(Number(options.port), HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new UsageError(`the port ${options.port} is taken by another program: choose one with --port`);
  }
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const access = new Access(origin);
  server.on('request', createApp({ session, access }));
  console.log(`Open ${access.newLink()}
The link opens the console once, within five minutes. Ctrl-C ends.`);
  await stopped;
  server.close();
  server.closeAllConnections();
  await session.close();
  return 0;
}
