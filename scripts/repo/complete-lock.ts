// npm run lock:complete: asks the registry that npm is configured with for every integrity that package-lock.json lacks.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { completed, readLock, writeLock } from './lock.ts';

const LIMIT_MS = 60_000;
const root = join(import.meta.dirname, '../..');

async function integrityOf(id: string): Promise<string | undefined> {
  try {
    const asked = ['view', id, 'dist.integrity', '--json'];
    const { stdout } = await promisify(execFile)('npm', asked, { cwd: root, timeout: LIMIT_MS });
    const answer: unknown = JSON.parse(stdout);
    return typeof answer === 'string' ? answer : undefined;
  } catch {
    return undefined; // not to be had in this network, or not in this registry
  }
}

const { lock, gaps, found } = await completed(readLock(root), async (id) => {
  const integrity = await integrityOf(id);
  console.log(`${integrity === undefined ? 'not found' : 'found    '}  ${id}`);
  return integrity;
});
writeLock(root, lock, gaps);
console.log(`${found} completed, ${gaps.length} left`);
process.exitCode = gaps.length > 0 ? 1 : 0;
