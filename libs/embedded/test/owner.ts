// Run by guard.test.ts: owns a PostgreSQL and an embedded broker until it is killed.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedKafka } from '../src/embedded-kafka.ts';
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts';

await Promise.all([startEmbeddedPostgres(), startEmbeddedKafka([])]);

/** Our direct children with their command lines. */
const children = readdirSync('/proc')
  .filter((name) => /^\d+$/.test(name))
  .flatMap((pid) => {
    try {
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return parent === String(process.pid) ? [{ pid: Number(pid), command }] : [];
    } catch {
      return [];
    }
  });
const servers = children.filter(({ command }) => !command[0]?.endsWith('sh'));
const folders = servers.flatMap(({ command }) =>
  command.flatMap((word) => /\/kontoport-(postgres|kafka)-\w+/.exec(word)?.[0] ?? []),
);
console.log(
  JSON.stringify({
    children: servers.map(({ pid }) => pid),
    folders: [...new Set(folders.map((folder) => join(tmpdir(), folder)))],
  }),
);
