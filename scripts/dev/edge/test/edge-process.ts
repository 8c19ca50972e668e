import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePorts } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';
import type { Scene } from './scene.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

/**
 * The edge as a process of its own, before the services of a scene unless its variables say otherwise; it ends with the
 * test. Takes variables, and how many files it may open.
 */
export function useEdgeProcess(scene: Scene) {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  async function startProcess(changed: Record<string, string> = {}, descriptors?: number) {
    const [base, registration, auth, user, opsPort] = (await freePorts(5)).map(String);
    const upstreams = [
      'REGISTRATION',
      'AUTH',
      'USER',
      'ACCOUNT_INFORMATION',
      'PAYMENTS',
      'WEBHOOK_DISPATCHER',
    ];
    const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
    const child = spawn(
      'sh',
      ['-c', `${limit}exec "$0" --disable-warning=ExperimentalWarning "$1"`, process.execPath, MAIN],
      {
        env: {
          PATH: process.env.PATH,
          BASE_PORT: base,
          REGISTRATION_PORT: registration,
          AUTH_PORT: auth,
          USER_PORT: user,
          OPS_PORT: opsPort,
          SERVER_CERTIFICATE: scene.ca.server.certificate,
          SERVER_KEY: scene.ca.server.key,
          EDGE_SECRET: 'x'.repeat(32),
          LOG_LEVEL: 'silent',
          ...Object.fromEntries(
            upstreams.map((name) => [`${name}_UPSTREAM`, `127.0.0.1:${scene.servicePort}`]),
          ),
          ...changed,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    running.push(child);
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const gone = new AbortController();
    child.once('close', () => gone.abort(new Error(said)));
    await untilReady({ name: 'edge', opsPort: Number(opsPort), limitMs: 60_000, signal: gone.signal });
    return { child, port: Number(base), url: `https://localhost:${base}` };
  }

  return startProcess;
}
