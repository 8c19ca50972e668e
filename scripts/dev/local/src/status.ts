import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { list, styleFor, widthOf } from '@kontoport/command';
import { type StackFile, stackFilePath } from './stack-file.ts';

const LIMIT_MS = 2_000;

interface State {
  name: string;
  /** Absent for a service, whose operations port is queried. */
  url: string;
  isWell: boolean;
  /** State for people, such as "ready". */
  says: string;
}

/** Returns whether an address of the edge answers, with the certificate that the stack made. */
async function addressState(name: string, url: string, ca: string): Promise<State> {
  const says = await new Promise<string>((done) => {
    const request = get(url, { ca, timeout: LIMIT_MS, agent: false }, (response) => {
      response.resume();
      done(response.statusCode === 200 ? 'answers' : `answers ${response.statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error(`is silent for ${LIMIT_MS / 1_000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
  });
  return { name, url, isWell: says === 'answers', says };
}

async function serviceState(service: StackFile['services'][number]): Promise<State> {
  const { pid, ops, replica } = service;
  const name = replica === undefined ? service.name : `${service.name}-${replica}`;
  const url = `${ops}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    const body = (await response.text()).trim();
    return response.ok
      ? { name, url, isWell: true, says: `ready, process ${pid}` }
      : { name, url, isWell: false, says: `not ready: ${body}` };
  } catch {
    return { name, url, isWell: false, says: 'does not answer' };
  }
}

/** The options of `kontoport status`. */
export interface StatusOptions {
  json?: boolean;
  data?: string;
}

/** Prints the state of the stack. @returns the exit status */
export async function status(options: StatusOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const data = resolve(options.data ?? join(import.meta.dirname, '../../../../.local'));
  const file = stackFilePath(data);
  if (!existsSync(file)) {
    console.log(
      options.json
        ? JSON.stringify({ running: false, ready: false, addresses: [], services: [] }, undefined, 2)
        : `No stack runs on ${data}. npm start starts one.`,
    );
    return 1;
  }
  const stack = JSON.parse(readFileSync(file, 'utf8')) as StackFile;
  const ca = readFileSync(stack.serverCa, 'utf8');
  const [addresses, services] = await Promise.all([
    Promise.all(
      [
        ['base_url', stack.baseUrl],
        ['registration_url', stack.registrationUrl],
        ['auth_url', stack.authUrl],
        ['user_url', stack.userUrl],
      ].map(([name, url]) => addressState(name!, url!, ca)),
    ),
    Promise.all(stack.services.map(serviceState)),
  ]);
  const ready = [...addresses, ...services].every(({ isWell }) => isWell);
  if (options.json) {
    console.log(JSON.stringify({ running: true, ready, addresses, services }, undefined, 2));
    return ready ? 0 : 1;
  }
  const style = styleFor(process.stdout, env);
  const width = widthOf(process.stdout);
  const shown = (states: readonly State[], withUrl: boolean): void => {
    const rows = states.map(({ name, url, says }) => ({ name, what: withUrl ? `${url}  ${says}` : says }));
    for (const line of list(rows, { width })) console.log(line);
  };
  console.log(style('bold', ready ? 'Kontoport is ready.' : 'Kontoport is not ready.'));
  shown(addresses, true);
  shown(services, false);
  return ready ? 0 : 1;
}
