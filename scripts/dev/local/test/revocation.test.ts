import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ensureSandboxCa } from '@kontoport/issuing';
import { Lifecycle } from '@kontoport/lifecycle';
import { createProgress } from '../src/progress.ts';
import { openResponder } from '../src/revocation.ts';

let folder: string;
let lifecycle: Lifecycle;
let output: PassThrough;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-ocsp-'));
  lifecycle = new Lifecycle();
  output = new PassThrough();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

const stop = (): Promise<void> => lifecycle.close({ error: () => {} });

/** Opens the responder and makes certificates that name it, as `npm start` does. */
async function open(): Promise<URL> {
  const progress = createProgress(output as unknown as NodeJS.WriteStream, {});
  const { origin: responder } = await openResponder({ ca: folder, progress, lifecycle });
  await ensureSandboxCa({ folder, trustAnchors: join(folder, 'anchors'), at: new Date(), responder });
  return new URL(responder);
}

describe('the responder of the local stack', () => {
  it('keeps the port that its certificates name', async () => {
    const { port } = await open();
    await stop();
    expect((await open()).port).toBe(port);
    expect(output.read()).toBeNull();
  });

  it('moves when that port is taken, and prints so', async () => {
    const before = await open();
    await stop();
    const other = createServer((socket) => socket.on('error', () => {})).listen(
      Number(before.port),
      '127.0.0.1',
    );
    await once(other, 'listening');
    const after = await open();
    expect(after.port).not.toBe(before.port);
    expect(String(output.read())).toContain(
      `The port of ${before.origin} is taken: OCSP and revocation lists move to ${after.origin}.`,
    );
    expect((await fetch(new URL('/root.crl', after))).status).toBe(200);
    await new Promise((closed) => other.close(closed));
  });
});
