// Watches a port while this process has no file descriptor left, and again when it has: tells what it saw of each.
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { untilSilent } from '../src/until-silent.ts';

const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
let looks = 0;
subscribe('net.client.socket', () => (looks += 1));

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  let silent = false;
  void untilSilent({ port, every: 5, signal: new AbortController().signal }).then(() => (silent = true));
  await until(() => looks >= 10, { what: 'some looks' });
  const without = silent;
  for (const descriptor of taken) closeSync(descriptor);
  server.close();
  await until(() => silent, { what: 'the end to be noticed' });
  process.stdout.write(JSON.stringify({ code, without, afterwards: silent }));
}
