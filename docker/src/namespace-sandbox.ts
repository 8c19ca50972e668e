import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardProcess } from '@kontoport/embedded/guard';
import { until } from '@kontoport/embedded/wait';
import type { CommandResult } from './engine.ts';

const LONGEST_OUTPUT = 1 << 28;

/** Options of a program in the sandbox. */
export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Uses the network of another process in the sandbox, by its id on the machine. */
  networkOf?: number;
}

/**
 * Process, mount and network namespaces of their own: programs started in it reach only each other's ports, and all of them end
 * with this process, however it ends.
 */
export class NamespaceSandbox {
  readonly #folder: string;
  readonly #first: ChildProcess;
  readonly #guard: { release(): void };
  readonly #children: { name: string; child: ChildProcess }[] = [];
  #pid = 0;

  /**
   * @param options.folder for logs; removed at the end
   * @param options.first program that reaps orphaned processes: process 1 of the sandbox
   * @param options.groups control groups; removed at the end
   */
  constructor(options: { folder: string; first: string; groups: readonly string[] }) {
    this.#folder = options.folder;
    const spaces = ['--mount', '--net', '--ipc', '--pid', '--mount-proc'];
    this.#first = spawn('unshare', [...spaces, '--fork', '--kill-child', options.first], {
      stdio: 'ignore',
      detached: true,
    });
    this.#guard = guardProcess({
      pid: this.#first.pid!,
      signal: 'KILL',
      remove: options.folder,
      groups: options.groups,
    });
  }

  /** Runs a shell script that sets up the network and mounts. */
  async open(script: string): Promise<void> {
    const children = `/proc/${this.#first.pid}/task/${this.#first.pid}/children`;
    this.#pid = await until(
      () => {
        const pid = Number(readFileSync(children, 'utf8').trim().split(' ')[0]);
        // Until then it has not entered its namespaces.
        return pid > 0 && /\(pause\)/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) && pid;
      },
      { what: 'the namespaces' },
    );
    await this.mustRun('bash', ['-euc', script]);
  }

  #enter({ networkOf }: RunOptions): string[] {
    const network = networkOf === undefined ? '--net' : `--net=/proc/${networkOf}/ns/net`;
    return [`--target=${this.#pid}`, '--mount', '--ipc', '--pid', network, '--'];
  }

  /** Runs a program to its end. */
  run(program: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return new Promise((resolve) => {
      const child = execFile(
        'nsenter',
        [...this.#enter(options), program, ...args],
        { encoding: 'utf8', maxBuffer: LONGEST_OUTPUT, env: { ...process.env, ...options.env } },
        (error, stdout, stderr) =>
          resolve({ status: error === null ? 0 : Number(error.code) || -1, stdout, stderr }),
      );
      // A program may end before it has read all of its input.
      child.stdin!.on('error', () => {});
      child.stdin!.end(options.input);
    });
  }

  /** Runs a program. @returns its standard output. @throws Error with its output when it fails */
  async mustRun(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { status, stdout, stderr } = await this.run(program, args, options);
    if (status !== 0)
      throw new Error(
        `${program} ${args.slice(0, 6).join(' ')} ended with ${status}: ${stdout.slice(-2_000)}${stderr.slice(-4_000)}`,
      );
    return stdout;
  }

  /** Starts a program in the background; its output goes to a log of its name. */
  start(name: string, program: string, args: readonly string[], options: RunOptions = {}): ChildProcess {
    const output = openSync(this.logOf(name), 'a');
    const child = spawn('nsenter', [...this.#enter(options), 'nice', '-n', '5', program, ...args], {
      cwd: this.#folder,
      stdio: ['ignore', output, output],
      env: { ...process.env, HOME: this.#folder, ...options.env },
    });
    closeSync(output);
    this.#children.push({ name, child });
    return child;
  }

  /** Starts a program with pipes for its input and output. */
  spawn(program: string, args: readonly string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
    return spawn('nsenter', [...this.#enter(options), program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    });
  }

  logOf(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  /** Waits for a condition. @throws Error when a started program has ended */
  async until(what: string, condition: () => Promise<boolean>, timeout: number): Promise<void> {
    const dead = (): string | undefined =>
      this.#children.find(({ child }) => child.exitCode !== null || child.signalCode !== null)?.name;
    await until(async () => dead() !== undefined || (await condition()), { what, timeout });
    const name = dead();
    if (name !== undefined)
      throw new Error(`${name} ended:\n${readFileSync(this.logOf(name), 'utf8').slice(-3_000)}`);
  }

  /** Ends all programs in the sandbox. */
  async close(): Promise<void> {
    const ended = once(this.#first, 'exit');
    const left = this.#children.flatMap(({ child }) =>
      child.exitCode === null && child.signalCode === null ? [once(child, 'close')] : [],
    );
    if (this.#pid !== 0 && existsSync(`/proc/${this.#pid}`)) process.kill(this.#pid, 'SIGKILL');
    else this.#first.kill('SIGKILL');
    if (this.#first.exitCode === null && this.#first.signalCode === null) await ended;
    await Promise.all(left);
    this.#guard.release();
  }
}
