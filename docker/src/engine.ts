import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_LIMIT_MS = 60_000;
const POLL_MS = 200;

/** A container engine. */
export interface Engine {
  /** Runs `docker …`; what it said, and how it ended. */
  docker(args: readonly string[], env?: Record<string, string>): SpawnSyncReturns<string>;
  /** The same. @throws Error with its words when it fails */
  demand(args: readonly string[], env?: Record<string, string>): string;
  stop(): Promise<void>;
}

function engineAt(env: NodeJS.ProcessEnv, stop: () => Promise<void>): Engine {
  const docker: Engine['docker'] = (args, more = {}) =>
    spawnSync('docker', args, { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...env, ...more } });
  return {
    docker,
    demand(args, more) {
      const { status, stdout, stderr, error } = docker(args, more);
      if (status !== 0) throw new Error(`docker ${args[0]}: ${error?.message ?? stderr.slice(-4_000)}`);
      return stdout;
    },
    stop,
  };
}

/** The engine that answers here, else one of our own, without network of its own; it needs root. @throws Error without either */
export async function openEngine(): Promise<Engine> {
  const given = engineAt(process.env, async () => {});
  if (given.docker(['info']).status === 0) return given;
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-engine-'));
  const host = `unix://${folder}/docker.sock`;
  const log = openSync(join(folder, 'log'), 'w');
  const places = [
    '--data-root',
    `${folder}/data`,
    '--exec-root',
    `${folder}/exec`,
    '--pidfile',
    `${folder}/pid`,
  ];
  const daemon = spawn('dockerd', [...places, '--bridge=none', '--iptables=false', '-H', host], {
    stdio: ['ignore', log, log],
  });
  const ended = new Promise<void>((resolve) => {
    daemon.once('exit', () => resolve()).once('error', () => resolve());
  });
  const engine = engineAt({ ...process.env, DOCKER_HOST: host }, async () => {
    daemon.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (engine.docker(['info']).status !== 0) {
    if (daemon.exitCode !== null || daemon.pid === undefined || performance.now() > deadline) {
      await engine.stop();
      throw new Error('no container engine answers, and dockerd cannot be started (it needs root)');
    }
    await pause(POLL_MS);
  }
  return engine;
}

const PARTS =
  'libc6 libc-bin libgcc-s1 libstdc++6 dash bash coreutils findutils libselinux1 libpcre2-8-0 libacl1 libattr1 libgmp10 libtinfo6 base-files sed grep';

/**
 * A stand-in for node:24-slim where no registry can be asked, of what a Debian machine has: this Node, npm, a shell and the
 * machine's certification authorities.
 */
export function importBase(engine: Engine, tag: string): void {
  const root = mkdtempSync(join(tmpdir(), 'kontoport-base-'));
  try {
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
      mkdirSync(join(root, 'usr', name), { recursive: true });
      symlinkSync(`usr/${name}`, join(root, name));
    }
    for (const name of [
      'tmp',
      'root',
      'proc',
      'dev',
      'sys',
      'etc/ssl',
      'usr/local/bin',
      'usr/local/lib/node_modules',
    ])
      mkdirSync(join(root, name), { recursive: true });
    shell(
      `dpkg-query -L ${PARTS} | grep -vE '/usr/share/(doc|man|locale|info)' | sort -u | tar c --no-recursion -T - 2>/dev/null | tar x --keep-directory-symlink -C ${root}`,
    );
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
    cpSync(process.execPath, join(root, 'usr/local/bin/node'));
    const npm = dirname(dirname(realpathSync(shell('command -v npm').trim())));
    cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
    const authorities = [process.env.NODE_EXTRA_CA_CERTS, '/etc/ssl/certs/ca-certificates.crt'].find(
      (file) => file !== undefined && existsSync(file),
    );
    const inside = '/etc/ssl/certs/ca-certificates.crt';
    mkdirSync(dirname(join(root, inside)), { recursive: true });
    if (authorities !== undefined) cpSync(authorities, join(root, inside), { dereference: true });
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    shell(`tar cf ${root}.tar -C ${root} .`);
    engine.demand([
      'import',
      '-c',
      `ENV PATH=${path}`,
      ...(authorities === undefined ? [] : ['-c', `ENV NODE_EXTRA_CA_CERTS=${inside}`]),
      `${root}.tar`,
      tag,
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(`${root}.tar`, { force: true });
  }
}

function shell(command: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr.slice(-2_000)}`);
  return stdout;
}
