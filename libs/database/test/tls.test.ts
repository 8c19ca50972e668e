import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigError, readConfig } from '@kontoport/config';
import {
  createDatabase,
  databaseAccess,
  databaseConfig,
  deployMigrations,
  openPool,
} from '@kontoport/database';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { isUnavailable } from '@kontoport/errors';
import { createLogger } from '@kontoport/lifecycle';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import type pg from 'pg';

const logger = createLogger({ service: 'test', level: 'silent' });

const PRISMA = join(import.meta.dirname, '../../../services/auth/prisma');

let tls: TlsFolder;
let stranger: TlsFolder;
let client: TlsFiles;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
/** The same server by another name, and with `postgres` as its database. */
let url: (host: string, user?: string) => string;
let plaintext: TestDatabase;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  [tls, stranger] = await Promise.all([tlsFolder(), tlsFolder()]);
  client = await tls.issue('client', 'client');
  server = await startEmbeddedPostgres(undefined, {
    ...(await tls.issue('server', { server: ['localhost'] })),
    clientCa: tls.ca,
  });
  url = (host, user) => {
    const target = new URL(`${server.url}postgres`);
    target.hostname = host;
    if (user !== undefined) [target.username, target.password] = user.split(':') as [string, string];
    return target.href;
  };
  plaintext = await testDatabase();
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});
afterAll(async () => {
  await plaintext.drop();
  await server.stop();
  tls.remove();
  stranger.remove();
});

/** A pool as a service with these variables opens it. */
function open(env: Record<string, string>): pg.Pool {
  const config = readConfig(databaseConfig, env);
  const pool = openPool({ ...databaseAccess({ config, logger }), applicationName: 'test', max: 1 });
  pools.push(pool);
  return pool;
}
const withClient = (): Record<string, string> => ({
  DATABASE_TLS_CA: tls.ca,
  DATABASE_TLS_CERT: client.cert,
  DATABASE_TLS_KEY: client.key,
});
const encrypted = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ ssl: boolean }>(
    'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
  );
  return rows[0]!.ssl;
};
const failure = (env: Record<string, string>): Promise<string> =>
  open(env)
    .query('SELECT 1')
    .then(
      () => 'connected',
      (error: unknown) => `${isUnavailable(error) ? 'away: ' : ''}${(error as Error).message}`,
    );

describe('a database connection with TLS', () => {
  it('is encrypted, with a client certificate if the server requires one', async () => {
    expect(await encrypted(open({ DATABASE_URL: url('localhost'), ...withClient() }))).toBe(true);
    expect(await failure({ DATABASE_URL: url('localhost'), DATABASE_TLS_CA: tls.ca })).toMatch(
      /^away: .*client certificate/,
    );
  });

  it('is also used to create and migrate databases', async () => {
    const config = readConfig(databaseConfig, { DATABASE_URL: url('localhost'), ...withClient() });
    const { tls: options } = databaseAccess({ config, logger });
    const made = await createDatabase(url('localhost'), 'made', options!());
    await deployMigrations({ url: made, prismaDir: PRISMA, tls: options!() });
    const { rows } = await open({ DATABASE_URL: made, ...withClient() }).query(
      'SELECT count(*)::int > 0 AS migrated FROM _prisma_migrations',
    );
    expect(rows).toEqual([{ migrated: true }]);
    await expect(createDatabase(url('localhost'), 'made')).rejects.toThrow(/no encryption/);
  });

  it('rejects a server of another CA or another name', async () => {
    const { DATABASE_TLS_CA: _ca, ...rest } = withClient();
    const server = { DATABASE_URL: url('localhost'), ...rest };
    expect(await failure({ ...server, DATABASE_TLS_CA: stranger.ca })).toMatch(
      /^away: .*(self-signed|unable to (verify|get))/,
    );
    expect(await failure({ ...server, DATABASE_TLS_CA: 'system' })).toMatch(
      /^away: .*(self-signed|unable to (verify|get))/,
    );
    expect(await failure({ DATABASE_URL: url('127.0.0.1'), ...withClient() })).toMatch(
      /^away: .*does not match certificate's altnames/,
    );
  });

  it('is verified despite PGSSLMODE', async () => {
    process.env.PGSSLMODE = 'no-verify';
    try {
      expect(
        await failure({ DATABASE_URL: url('localhost'), ...withClient(), DATABASE_TLS_CA: stranger.ca }),
      ).toMatch(/^away: .*(self-signed|unable to (verify|get))/);
    } finally {
      delete process.env.PGSSLMODE;
    }
  });

  it('rejects a server without TLS, and a plaintext connection to one with TLS', async () => {
    expect(await failure({ DATABASE_URL: plaintext.url, ...withClient() })).toMatch(
      /^away: .*does not support SSL/,
    );
    expect(await failure({ DATABASE_URL: url('localhost') })).toMatch(
      /^away: no pg_hba.conf entry.*no encryption/,
    );
  });

  it('reads password and client certificate from the files for each connection', async () => {
    await asOwner(`CREATE ROLE teller LOGIN PASSWORD 'first'`);
    const urlFile = tls.write('url', `${url('localhost', 'teller:first')}\n`);
    const changing = await tls.issue('changing', 'client');
    const pool = open({
      DATABASE_URL_FILE: urlFile,
      DATABASE_TLS_CA: tls.ca,
      DATABASE_TLS_CERT: changing.cert,
      DATABASE_TLS_KEY: changing.key,
    });
    const serial = async (): Promise<string> => {
      const { rows } = await pool.query<{ serial: string }>(
        'SELECT client_serial AS serial FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return rows[0]!.serial;
    };
    const before = await serial();
    await asOwner(`ALTER ROLE teller PASSWORD 'second'`);
    tls.write('url', url('localhost', 'teller:second'));
    await tls.issue('changing', 'client');
    expect(await serial()).toBe(before);
    await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    const after = await serial();
    expect(after).not.toBe(before);
    // Broken replacements change nothing.
    tls.write('url', 'nonsense');
    tls.write('changing-key.pem', readFileSync(client.key, 'utf8'));
    await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    expect(await serial()).toBe(after);
  });
});

async function asOwner(statement: string): Promise<void> {
  const pool = open({ DATABASE_URL: url('localhost'), ...withClient() });
  await pool.query(statement);
}

describe('the database variables', () => {
  it('log an unusable replacement by its variable, without its content', () => {
    const config = readConfig(databaseConfig, {
      DATABASE_URL_FILE: tls.write('url', 'postgres://u:first@localhost/x'),
      DATABASE_TLS_CA: tls.write('authorities.pem', readFileSync(tls.ca, 'utf8')),
    });
    const lines: unknown[] = [];
    const error = (fields: object, message: string): void => void lines.push({ ...fields, message });
    const access = databaseAccess({ config, logger: { error } });
    tls.write('url', 'hunter2');
    tls.write('authorities.pem', 'hunter2');
    expect(access.url()).toBe('postgres://u:first@localhost/x');
    expect(access.tls!().ca).toBe(readFileSync(tls.ca, 'utf8'));
    const message = 'database credentials not reloaded, the previous ones stay in use';
    expect(lines).toEqual([
      { fault: 'DATABASE_URL_FILE: Invalid URL', message },
      { fault: 'DATABASE_TLS_CA: the file holds no certificate in PEM', message },
    ]);
  });

  const faults = (env: Record<string, string>): readonly string[] => {
    try {
      readConfig(databaseConfig, env);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };
  const remote = 'postgres://u:hunter2@db.bank.test:5432/x';
  const needsTls = [
    'DATABASE_TLS_CA: missing; in production a database on another machine is reached by TLS only',
  ];

  it.each(['sslmode=no-verify', 'sslmode=verify-full', 'ssl=true', 'sslrootcert=/ca', 'uselibpqcompat=true'])(
    'reject %s in the URL, which could disable verification',
    (parameter) => {
      expect(faults({ DATABASE_URL: `${remote}?${parameter}` })).toEqual([
        'DATABASE_URL: TLS is asked for by DATABASE_TLS_CA, not by parameters of the URL',
      ]);
    },
  );

  it.each<[string, Record<string, string>, readonly string[]]>([
    ['another database', { DATABASE_URL: 'mysql://u:hunter2@h/x' }, ['DATABASE_URL: Invalid URL']],
    ['no URL', { DATABASE_URL: 'hunter2' }, ['DATABASE_URL: Invalid URL']],
    ['a plaintext database elsewhere', { DATABASE_URL: remote }, []],
    ['the same in production', { ENVIRONMENT: 'production', DATABASE_URL: remote }, needsTls],
    [
      'a host in the parameters, in production',
      { ENVIRONMENT: 'production', DATABASE_URL: 'postgres://u@localhost/x?host=db.bank.test' },
      needsTls,
    ],
    ['TLS in production', { ENVIRONMENT: 'production', DATABASE_URL: remote, DATABASE_TLS_CA: 'system' }, []],
    ['this machine in production', { ENVIRONMENT: 'production', DATABASE_URL: 'postgres://u@[::1]/x' }, []],
    [
      'a Unix socket in production',
      { ENVIRONMENT: 'production', DATABASE_URL: 'postgres://localhost/x?host=/run/postgresql' },
      [],
    ],
  ])('are validated together: %s', (_what, env, expected) => {
    expect(faults(env)).toEqual(expected);
  });
});
