import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '@kontoport/testing/postgres';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts';
import { freePort } from '../src/port.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-kept-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a kept cluster', () => {
  // 0o700: as root, the account that runs PostgreSQL may not even enter.
  it.each([
    ['open', 0o755],
    ['closed', 0o700],
  ])('has its data again after a restart, in an %s folder', async (_, mode) => {
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

  it('says which port is taken', async () => {
    const taken = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startEmbeddedPostgres({ dir: join(folder, 'postgres'), port })).rejects.toThrow(
      /PostgreSQL did not start:[^]*127\.0\.0\.1[^]*Address already in use/,
    );
    taken.close();
  });
});
