import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '@kontoport/testing/postgres';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts';
import { freePort } from '../src/port.ts';
import { until } from '../src/wait.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-kept-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a temporary cluster', () => {
  it.each([
    ['with care where that is wanted', { isThrownAway: true } as const, 'on'],
    ['without it else, which is quicker', undefined, 'off'],
  ])('writes to disk %s', async (_, data, expected) => {
    const { url, stop } = await startEmbeddedPostgres(data);
    const client = new pg.Client({ connectionString: `${url}postgres` });
    await client.connect();
    const settings = ['fsync', 'full_page_writes', 'synchronous_commit'];
    const { rows } = await client.query('SELECT name, setting FROM pg_settings WHERE name = ANY ($1)', [
      settings,
    ]);
    await client.end();
    await stop();
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual(
      Object.fromEntries(settings.map((name) => [name, expected])),
    );
  });
});

describe('a kept cluster', () => {
  // 0o700: as root, the account that runs PostgreSQL may not even enter.
  it.each([
    ['open', 0o755],
    ['closed', 0o700],
  ])('keeps its data across a restart, in an %s folder', async (_, mode) => {
    chmodSync(folder, mode);
    const keep = { dir: join(folder, 'postgres'), port: await freePort() };
    const first = await startEmbeddedPostgres(keep);
    await runSql(`${first.url}postgres`, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();

    const second = await startEmbeddedPostgres(keep);
    const client = new pg.Client({ connectionString: `${second.url}postgres` });
    await client.connect();
    expect((await client.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }]);
    await client.end();
    await second.stop();
  });

  it('removes data outside of their folder when the folder is gone', async () => {
    const abandoned = mkdtempSync(join(tmpdir(), 'kontoport-postgres-data-'));
    const [note, data] = [join(abandoned, 'link'), join(abandoned, 'data')];
    writeFileSync(note, join(folder, 'gone'));
    mkdirSync(data);
    for (let name = 0; name < 5_000; name++) writeFileSync(join(data, String(name)), '');
    chmodSync(folder, 0o700);
    const starting = startEmbeddedPostgres({ dir: join(folder, 'postgres'), port: await freePort() });
    // PostgreSQL needs another account and another data folder only if the test runs as root.
    const isElsewhere = process.getuid?.() === 0;
    let isForgotten = false;
    await until(
      () => {
        // A process may end at any moment, and without the note the next one would leave the rest.
        isForgotten ||= !existsSync(note) && existsSync(data);
        return !existsSync(abandoned) || !isElsewhere;
      },
      { what: 'the end of what was abandoned' },
    );
    const { stop } = await starting;
    expect(readdirSync(folder)).toEqual(['postgres']);
    await stop();
    rmSync(abandoned, { recursive: true, force: true });
    expect(isForgotten).toBe(false);
  });

  it('names a port in use', async () => {
    const taken = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startEmbeddedPostgres({ dir: join(folder, 'postgres'), port })).rejects.toThrow(
      /PostgreSQL did not start:[^]*127\.0\.0\.1[^]*Address already in use/,
    );
    taken.close();
  });
});
