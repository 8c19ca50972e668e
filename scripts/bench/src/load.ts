import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { Pool } from 'undici';

export const CONNECTIONS = 16;

/** A request that is sent again and again. */
export interface Target {
  origin: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends the given number of requests, reads every answer completely and checks its status. @returns requests a second */
export async function send({ origin, ...request }: Target, count: number): Promise<number> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const started = performance.now();
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request(request);
      if (statusCode !== 200)
        throw new Error(`${origin}${request.path} answered ${statusCode}: ${await body.text()}`);
      await body.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - started) / 1_000;
  await pool.close();
  return count / seconds;
}

/** Starts a server of this folder, to compare with; resolves when it answers. */
export async function startServer(
  file: string,
  env: Record<string, string>,
): Promise<{ origin: string; pid: number; stop(): void }> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, file)], {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(origin)).status > 0, { what: file, timeout: 60_000 });
  return { origin, pid: child.pid!, stop: () => void child.kill('SIGKILL') };
}

/** Runs `task` for 0 … total - 1, so many at a time. */
export async function inParallel(
  total: number,
  width: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
