// node scripts/repo/check-lock.ts: what npm fetches is proven by its SHA-512, but for the gaps that are known.
import { join } from 'node:path';
import { lockFaults, readGaps, readLock } from './lock.ts';

const root = join(import.meta.dirname, '../..');
const faults = lockFaults(readLock(root), readGaps(root));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
