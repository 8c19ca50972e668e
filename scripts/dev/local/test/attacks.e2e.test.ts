import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { canSeeListeners, listenersOf } from '@kontoport/testing/listeners';
import { readRaw } from '@kontoport/testing/raw-http';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';

const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
const missing = canSeeListeners() ? undefined : 'the memory of other processes is seen on Linux only';

describeWith('callers who pipeline and do not read', { missing }, () => {
  const { start } = useStack('file');
  let started: StartedStack;
  let stack: StackFile;
  let qwac: Qwac;

  beforeAll(async () => {
    started = start('--no-tour');
    stack = await started.ready();
    qwac = await mintQwac({
      request: { name: 'TPP', organizationIdentifier: 'PSDDK-DFSA-7', roles: ['PSP_AI'], days: 1 },
      issuer: await readIssuer(stack.issuingCa),
      at: new Date(),
    });
  }, LIMIT_MS);

  /** A connection with the TPP's certificate. */
  async function open(): Promise<TLSSocket> {
    const { chainPem: cert, keyPem: key } = qwac;
    const ca = readFileSync(stack.serverCa);
    const { port } = new URL(stack.baseUrl);
    const socket = connect({ port: Number(port), host: '127.0.0.1', servername: 'localhost', ca, cert, key });
    await once(socket, 'secureConnect');
    return socket.on('error', () => {});
  }

  it('cost the edge little memory, and others are answered meanwhile', async () => {
    const { port } = new URL(stack.baseUrl);
    const edge = listenersOf(started.child.pid!).find((listener) => listener.port === Number(port))!;
    const before = resident(edge.pid);
    const sockets = await Promise.all(Array.from({ length: 20 }, open));
    for (const socket of sockets)
      socket.pause().write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16));
    for (let i = 0; i < 30; i += 1) {
      const other = await open();
      other.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      expect(readRaw(await text(other)).status).toBe(200);
      expect(resident(edge.pid) - before).toBeLessThan(100 * 1024);
    }
    for (const socket of sockets) socket.destroy();
  });
});
