import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardProcess } from '@kontoport/embedded/guard';
import { until } from '@kontoport/embedded/wait';

const LONGEST_OUTPUT = 1 << 28;

/** Exit status and output of a command. */
export interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** A container engine. */
export interface Engine {
  /** Environment of processes that call the engine themselves. */
  env: NodeJS.ProcessEnv;
  /** Runs `docker …`. */
  docker(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>;
  /** Runs `docker …`. @returns its standard output. @throws Error with its output when it fails */
  mustRun(args: readonly string[], env?: Record<string, string>): Promise<string>;
  /** Stops an engine that `openEngine` started, with its containers; leaves any other running. */
  stop(): Promise<void>;
}

const succeeds = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore', env: process.env });
    return true;
  } catch {
    return false;
  }
};

/** Whether an engine can be started here. */
const canStart = (): boolean => process.getuid?.() === 0 && succeeds('dockerd', '--version');

/**
 * Returns the missing requirement to build and run images on this machine, and how to get it; undefined when nothing is missing.
 */
export function missingForImages(): string | undefined {
  // Containers use the network of the machine, where the databases of tests listen.
  if (process.platform !== 'linux') return 'not Linux';
  if (!succeeds('docker', 'buildx', 'version')) return 'no docker command with buildx 0.13 or newer';
  if (!succeeds('docker', 'compose', 'version')) return 'no docker command with compose 2.26 or newer';

  if (!succeeds('docker', 'info') && (process.env.DOCKER_HOST || !canStart()))
    return 'no container engine: none answers "docker info", and to start one takes root and dockerd';
  if (process.env.BASE_IMAGE === undefined && !succeeds('dpkg-query', '--version'))
    return 'BASE_IMAGE is not set, and a replacement can only be built on Debian';
  return undefined;
}

function engineAt(env: NodeJS.ProcessEnv, stop: () => Promise<void>): Engine {
  const docker: Engine['docker'] = (args, more = {}) =>
    new Promise((resolve) => {
      const options = { encoding: 'utf8', maxBuffer: LONGEST_OUTPUT, env: { ...env, ...more } } as const;
      execFile('docker', args, options, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code) || -1, stdout, stderr }),
      );
    });
  return {
    env,
    docker,
    async mustRun(args, more) {
      const { status, stdout, stderr } = await docker(args, more);
      const words = `${stdout.slice(-4_000)}${stderr.slice(-4_000)}`;
      if (status !== 0) throw new Error(`docker ${args[0]} ended with ${status}: ${words}`);
      return stdout;
    },
    stop,
  };
}

/**
 * Opens the engine that DOCKER_HOST names; else starts one, which ends with this process and leaves nothing behind; else, without
 * root, uses the one that answers.
 * @throws Error with the last output of an engine that does not start
 */
export async function openEngine(): Promise<Engine> {
  if (!process.env.DOCKER_HOST && canStart()) return startEngine();
  return engineAt(process.env, async () => {});
}

/**
 * Starts an engine in one folder, with private mounts. It does not touch the machine's packet filter or routes: callers create
 * the networks they need, and published ports listen on the loopback address.
 */
async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-engine-'));
  const host = `unix://${folder}/docker.sock`;
  const log = join(folder, 'log');
  const places = Object.entries({ 'data-root': 'data', 'exec-root': 'exec', pidfile: 'pid' });
  const daemon = spawn(
    'unshare',
    [
      '--mount',
      'dockerd',
      ...places.flatMap(([option, name]) => [`--${option}`, join(folder, name)]),
      '--bridge=none',
      '--iptables=false',
      '--ip6tables=false',
      '--ip-forward=false',
      '--default-network-opt=bridge=com.docker.network.bridge.host_binding_ipv4=127.0.0.1',
      `--host=${host}`,
    ],
    { stdio: ['ignore', openSync(log, 'w'), openSync(log, 'a')], detached: true },
  );
  const ended = once(daemon, 'exit');
  const guard = guardProcess({ pid: daemon.pid!, signal: 'TERM', remove: folder });
  const engine = engineAt({ ...process.env, DOCKER_HOST: host }, async () => {
    const ids = (await engine.docker(['ps', '--all', '--quiet'])).stdout.split('\n').filter(Boolean);
    if (ids.length > 0) await engine.docker(['rm', '--force', '--volumes', ...ids]);
    await engine.docker(['network', 'prune', '--force']);
    daemon.kill('SIGTERM');
    await ended;
    guard.release();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  try {
    const isUp = async (): Promise<boolean> =>
      daemon.exitCode !== null || (await engine.docker(['info'])).status === 0;
    await until(isUp, { what: 'dockerd to answer' });
    if (daemon.exitCode !== null) throw new Error(`dockerd ended with ${daemon.exitCode}`);
  } catch (error) {
    const said = readFileSync(log, 'utf8').slice(-2_000);
    if (daemon.exitCode === null) await engine.stop();
    throw new Error(`no container engine could be started here:\n${said}`, { cause: error });
  }
  return engine;
}
