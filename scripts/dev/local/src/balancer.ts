import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const HOST = '127.0.0.1';
const CHECK_MS = 200;
const WAIT_LIMIT_MS = 5_000;

/** A replica behind a balancer: the port of its listener, and of its readiness. */
interface Target {
  port: number;
  ops: number;
}

/**
 * Carries TCP connections to the ready replicas of a service, in turn, as a Service of Kubernetes does. A connection waits for
 * a while if no replica is ready.
 */
export async function openBalancer(
  port: number,
  targets: readonly Target[],
): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>();
  let ready: readonly Target[] = [];
  let turn = 0;
  const check = async (): Promise<void> => {
    const states = await Promise.all(targets.map(isReady));
    ready = targets.filter((_, at) => states[at]);
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  const serve = async (caller: Socket): Promise<void> => {
    open.add(caller);
    caller.on('error', () => {}).once('close', () => open.delete(caller));
    const late = performance.now() + WAIT_LIMIT_MS;
    while (!caller.destroyed) {
      const first = turn++ % Math.max(ready.length, 1);
      for (const target of [...ready.slice(first), ...ready.slice(0, first)]) {
        const callee = await connected(target);
        if (callee !== undefined) return join(caller, callee);
      }
      if (performance.now() > late) caller.destroy();
      await pause(CHECK_MS / 2);
    }
  };
  const server = createServer({ allowHalfOpen: true }, (caller) => void serve(caller));
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    async close() {
      clearInterval(timer);
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function isReady({ ops }: Target): Promise<boolean> {
  try {
    const { ok, body } = await fetch(`http://${HOST}:${ops}/readyz`, {
      signal: AbortSignal.timeout(5 * CHECK_MS),
    });
    await body?.cancel();
    return ok;
  } catch {
    return false;
  }
}

/** Connects to a replica. @returns undefined if it does not accept the connection */
async function connected({ port }: Target): Promise<Socket | undefined> {
  const callee = connect({ port, host: HOST, allowHalfOpen: true });
  try {
    await once(callee, 'connect');
    return callee;
  } catch {
    return undefined;
  }
}

function join(caller: Socket, callee: Socket): void {
  if (caller.destroyed) return void callee.destroy();
  for (const [from, to] of [
    [caller, callee],
    [callee, caller],
  ] as const) {
    from.on('error', () => to.destroy()).once('close', () => to.destroySoon());
    from.pipe(to);
  }
}
