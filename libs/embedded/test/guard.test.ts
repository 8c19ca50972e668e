import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../src/wait.ts';

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process that starts a PostgreSQL and a broker and reports their process ids. */
function startOwner(): ChildProcess {
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'owner.ts')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
}

describe('servers started for tests', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'are gone, with their data, after %s to their owner',
    async (signal) => {
      const owner = startOwner();
      const [line] = (await once(createInterface({ input: owner.stdout! }), 'line')) as [string];
      const { children, folders } = JSON.parse(line) as { children: number[]; folders: string[] };
      expect(children.filter(alive)).toHaveLength(2);
      expect(folders.filter((folder) => existsSync(folder))).toHaveLength(2);
      owner.kill(signal);
      await once(owner, 'exit');
      await until(() => !children.some(alive) && !folders.some((folder) => existsSync(folder)), {
        what: 'the servers to be gone',
      });
    },
  );
});
