import { type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@kontoport/embedded/wait';
import type { KubernetesNode } from '../src/kubernetes-node.ts';
import type { LoadReport } from './load.ts';

const PROGRAM = join(import.meta.dirname, 'load.ts');
/** Answers that show that each kind of caller, and the bank, is served. */
const SERVED = [
  'accounts 200',
  'tokens 200',
  'registration 200',
  'subscriptions 200',
  'payments 404',
  'ledger OK',
];
/** Answers of a kind after which it counts as served again. */
const ENOUGH = 10;

/** A load in the network of a node. */
export class RunningLoad {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #words = '';
  #seen = 0;

  constructor(node: KubernetesNode, order: string) {
    this.#child = node.namespaceSandbox.spawn(process.execPath, [PROGRAM, order]);
    this.#child.stderr.setEncoding('utf8').on('data', (more: string) => (this.#words += more));
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async #read(): Promise<LoadReport> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the load ended: ${this.#words.slice(-4_000)}`);
    return JSON.parse(value) as LoadReport;
  }

  /** Waits until the load has started. */
  open(): Promise<LoadReport> {
    return this.#read();
  }

  async report(): Promise<LoadReport> {
    this.#child.stdin.write('\n');
    return this.#read();
  }

  /** Failures since the last call. */
  async failures(): Promise<string[]> {
    const { failures } = await this.report();
    return failures.slice(this.#seen, (this.#seen = failures.length));
  }

  /** Number of 503 answers so far from services with two pods, by message. */
  async absences(): Promise<[string, number][]> {
    const { answers } = await this.report();
    return Object.entries(answers).filter(([what]) =>
      /^(accounts|tokens|registration|subscriptions) 503 /.test(what),
    );
  }

  /** Waits until each kind of request is served, and bookings are acknowledged, after this call. */
  async served(timeout: number): Promise<void> {
    const before = await this.report();
    const isServed = ({ answers, booked }: LoadReport): boolean =>
      SERVED.every((what) => (answers[what] ?? 0) >= (before.answers[what] ?? 0) + ENOUGH) &&
      booked >= before.booked + ENOUGH;
    await until(async () => isServed(await this.report()), {
      what: 'everything to be served again',
      timeout,
    });
  }

  /** Waits until the webhook of every booking has arrived. @returns the results of the load */
  async close(): Promise<LoadReport> {
    this.#child.stdin.end();
    const report = await this.#read();
    await once(this.#child, 'close');
    return report;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
