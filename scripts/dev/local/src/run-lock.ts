import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';

/** Another stack runs on the same data folder. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
  readonly pid: string;

  constructor(pid: string) {
    super(`a stack is running already (process ${pid})`);
    this.pid = pid;
  }
}

/** Socket addresses are short (104 bytes on macOS, 108 on Linux, the final zero included). */
const LONGEST_PATH = 103;
const ANSWER_LIMIT_MS = 2_000;

async function pidBehind(path: string): Promise<string | undefined> {
  const socket = connect(path);
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
  try {
    await once(socket, 'connect');
    let said = '';
    for await (const part of socket) said += String(part);
    return said || 'unknown';
  } catch {
    return undefined; // nobody listens: a killed process left the file behind
  }
}

async function listen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.on('error', () => {}).end(String(process.pid)));
  server.listen(path);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/**
 * Makes this process the only one on a data folder while it lives. It uses a local socket, which the system closes in
 * any case; a file with a process id could outlive its process.
 * @throws AlreadyRunning
 */
export async function takeRunLock(data: string): Promise<{ release(): void }> {
  const file = join(data, 'running.sock');
  const near = relative(process.cwd(), file);
  const path = near.length < file.length ? near : file;
  if (Buffer.byteLength(path) > LONGEST_PATH)
    throw new Error(`the path of the data folder is too long for a local socket: ${data}`);
  let server = await listen(path);
  if (!server) {
    const pid = await pidBehind(path);
    if (pid !== undefined) throw new AlreadyRunning(pid);
    rmSync(path, { force: true });
    server = await listen(path);
    if (!server) throw new AlreadyRunning((await pidBehind(path)) ?? 'unknown');
  }
  server.unref();
  return { release: () => void server.close() };
}
