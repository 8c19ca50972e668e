import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardProcess } from '@kontoport/embedded/guard';
import { until } from '@kontoport/embedded/wait';
import type { Said } from './engine.ts';

const LONGEST_OUTPUT = 1 << 28;

/** How something is run within. */
export interface Within {
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** The network of another process within, by its id as the machine sees it. */
  networkOf?: number;
}

/**
 * Processes, mounts and a network of their own: what is started within sees nothing but each other's ports, and all of it ends when this process
 * does, however that ends.
 */
export class Enclosure {
  readonly #folder: string;
  readonly #first: ChildProcess;
  readonly #guard: { release(): void };
  readonly #children: { name: string; child: ChildProcess }[] = [];
  #pid = 0;

  /**
   * @param options.folder of its logs; removed with it
   * @param options.first program that reaps what others leave behind: the first process within
   * @param options.groups control groups that are removed with it
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

  /** Makes its network and whatever else the lines of a shell say. */
  async open(script: string): Promise<void> {
    const children = `/proc/${this.#first.pid}/task/${this.#first.pid}/children`;
    this.#pid = await until(
      () => {
        const pid = Number(readFileSync(children, 'utf8').trim().split(' ')[0]);
        // Until then it has not entered what was made for it.
        return pid > 0 && /\(pause\)/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) && pid;
      },
      { what: 'processes of their own' },
    );
    await this.demand('bash', ['-euc', script]);
  }

  #enter({ networkOf }: Within): string[] {
    const network = networkOf === undefined ? '--net' : `--net=/proc/${networkOf}/ns/net`;
    return [`--target=${this.#pid}`, '--mount', '--ipc', '--pid', network, '--'];
  }

  /** Runs a program to its end. */
  run(program: string, args: readonly string[], within: Within = {}): Promise<Said> {
    return new Promise((resolve) => {
      const child = execFile(
        'nsenter',
        [...this.#enter(within), program, ...args],
        { encoding: 'utf8', maxBuffer: LONGEST_OUTPUT, env: { ...process.env, ...within.env } },
        (error, stdout, stderr) =>
          resolve({ status: error === null ? 0 : Number(error.code) || -1, stdout, stderr }),
      );
      // A program may end before it has read everything.
      child.stdin!.on('error', () => {});
      child.stdin!.end(within.input);
    });
  }

  /** The same. @returns its standard output. @throws Error with its words when it fails */
  async demand(program: string, args: readonly string[], within: Within = {}): Promise<string> {
    const { status, stdout, stderr } = await this.run(program, args, within);
    if (status !== 0)
      throw new Error(
        `${program} ${args.slice(0, 6).join(' ')} ended with ${status}: ${stdout.slice(-2_000)}${stderr.slice(-4_000)}`,
      );
    return stdout;
  }

  /** Starts a program that goes on; its words are in a log of its name. */
  start(name: string, program: string, args: readonly string[], within: Within = {}): ChildProcess {
    const output = openSync(this.logOf(name), 'a');
    const child = spawn('nsenter', [...this.#enter(within), 'nice', '-n', '5', program, ...args], {
      cwd: this.#folder,
      stdio: ['ignore', output, output],
      env: { ...process.env, HOME: this.#folder, ...within.env },
    });
    closeSync(output);
    this.#children.push({ name, child });
    return child;
  }

  /** Starts a program that is spoken to. */
  talk(program: string, args: readonly string[], within: Within = {}): ChildProcessWithoutNullStreams {
    return spawn('nsenter', [...this.#enter(within), program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...within.env },
    });
  }

  logOf(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  /** Waits for a condition, and no longer than everything that was started lives. */
  async until(what: string, condition: () => Promise<boolean>, timeout: number): Promise<void> {
    const dead = (): string | undefined =>
      this.#children.find(({ child }) => child.exitCode !== null || child.signalCode !== null)?.name;
    await until(async () => dead() !== undefined || (await condition()), { what, timeout });
    const name = dead();
    if (name !== undefined)
      throw new Error(`${name} ended:\n${readFileSync(this.logOf(name), 'utf8').slice(-3_000)}`);
  }

  /** Ends everything within. */
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
