import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Lifecycle } from '@kontoport/runtime';
import { generate } from '@kontoport/scripts/generate';
import { createProgress, type Progress } from './progress.ts';
import { resetData } from './reset-data.ts';
import { AlreadyRunning, takeRunLock } from './run-lock.ts';
import { removeStackFile } from './stack-file.ts';
import { type Stack, startStack } from './stack.ts';
import { readStartArguments, USAGE, UsageError } from './start-arguments.ts';
import { type Death, ServiceDied } from './supervise.ts';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof SIGNALS;

/** The person, or the system, asked to stop. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly by: StopSignal;

  constructor(by: StopSignal) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

/** Turns the first signal to stop into an abort; later ones change nothing, stopping is under way already. */
function listenForStop(): { signal: AbortSignal; stopped: Promise<Stopped>; release(): void } {
  const controller = new AbortController();
  const stopped = new Promise<Stopped>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(controller.signal.reason as Stopped), {
      once: true,
    });
  });
  const listeners = (Object.keys(SIGNALS) as StopSignal[]).map((name) => ({
    name,
    stop: (): void => controller.abort(new Stopped(name)),
  }));
  for (const { name, stop } of listeners) process.on(name, stop);
  // Nobody reads any more (npm start | head): as good as a hang-up.
  process.stdout.on('error', () => controller.abort(new Stopped('SIGHUP')));
  return {
    signal: controller.signal,
    stopped,
    release() {
      for (const { name, stop } of listeners) process.off(name, stop);
    },
  };
}

function tellDeath(progress: Progress, death: Death): void {
  const { line, style } = progress;
  line();
  line(style(['red', 'bold'], `${death.name} ${death.how}.`));
  for (const text of death.lastLines) line(style('dim', `  ${text}`));
  if (death.logFile !== undefined) line(`Its log: ${shown(death.logFile)}`);
}

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

function tellReady(progress: Progress, { content, logs }: Stack): void {
  const { line, style } = progress;
  const rows = [
    ['base_url', content.baseUrl, 'accounts, payments, webhook subscriptions'],
    ['registration_url', content.registrationUrl, 'registration and client management'],
    ['auth_url', content.authUrl, 'tokens'],
    ['user_url', content.userUrl, "the bank's users, no client certificate"],
  ] as const;
  line();
  line(style('bold', `Kontoport is ready after ${(performance.now() / 1_000).toFixed(1)} s.`));
  for (const [name, url, what] of rows)
    line(`  ${name.padEnd(17)} ${style('cyan', url)}  ${style('dim', what)}`);
  line(`  ${'server CA'.padEnd(17)} ${shown(content.serverCa)}`);
  line(`  ${'trust anchors'.padEnd(17)} ${shown(content.trustAnchors)}/`);
  line(`  ${'logs'.padEnd(17)} ${shown(logs)}/`);
  line();
}

function tellHowToGoOn(progress: Progress, { content, file }: Stack): void {
  const { line, style } = progress;
  const data = dirname(file);
  const isDefault = shown(data) === '.local';
  const hints = [
    [`npm run tour${isDefault ? '' : ` -- --stack ${shown(file)}`}`, 'the tour again'],
    [
      `npm run qwac -- mint${isDefault ? '' : ` --data ${shown(data)}`}`,
      'a certificate of your own, and the call that registers it',
    ],
    [
      `curl --cacert ${shown(content.serverCa)} ${content.baseUrl}/accounts`,
      'what a caller without one is told',
    ],
  ] as const;
  const width = Math.max(...hints.map(([command]) => command.length));
  line();
  line(style('bold', 'The stack stays up. Go on with'));
  for (const [command, what] of hints) line(`  ${command.padEnd(width)}  ${style('dim', what)}`);
  line(`Ctrl-C stops everything. Data stay in ${shown(data)}/; --reset starts over.`);
}

/** The tour as a process of its own, which knows no more than stack.json. Resolves to its exit status. */
async function runTour(options: { root: string; stack: Stack; signal: AbortSignal }): Promise<number> {
  const script = join(options.root, 'scripts/tour/src/main.ts');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, '--stack', options.stack.file],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const end = (): void => void child.kill('SIGTERM');
  options.signal.addEventListener('abort', end, { once: true });
  if (options.signal.aborted) end();
  const [code] = (await once(child, 'exit')) as [number | null];
  options.signal.removeEventListener('abort', end);
  return code ?? 1;
}

/** Waits for the end of a stack that is ready, and says with which status. */
async function stay(options: {
  stack: Stack;
  tour: 'run' | 'skip' | 'run and exit';
  root: string;
  progress: Progress;
  stop: { signal: AbortSignal; stopped: Promise<Stopped> };
}): Promise<number> {
  const { stack, progress, stop } = options;
  const ended = new AbortController();
  const death = stack.died.then((dead) => {
    ended.abort();
    return dead;
  });
  if (options.tour !== 'skip') {
    const signal = AbortSignal.any([stop.signal, ended.signal]);
    const status = await runTour({ root: options.root, stack, signal });
    if (options.tour === 'run and exit' && !signal.aborted) return status;
    if (!signal.aborted && status !== 0)
      progress.line('The tour failed; the stack stays up for a look around.');
  }
  if (!stop.signal.aborted && !ended.signal.aborted) tellHowToGoOn(progress, stack);
  const end = await Promise.race([death, stop.stopped]);
  // Stopping a stack that stays up is its ordinary end; a tour that was to give the status was cut short.
  if (end instanceof Stopped) return options.tour === 'run and exit' ? SIGNALS[end.by] : 0;
  tellDeath(progress, end);
  return 1;
}

/** What a failed start means for the person at the terminal, and its exit status. */
function explainFailure(progress: Progress, error: unknown): number {
  if (error instanceof Stopped) return SIGNALS[error.by];
  if (error instanceof ServiceDied) tellDeath(progress, error.death);
  else progress.line(progress.style('red', error instanceof Error ? error.message : String(error)));
  return 1;
}

/** `npm start`. Resolves to the exit status once everything is stopped again. */
export async function runStart(options: {
  args: string[];
  env: NodeJS.ProcessEnv;
  root: string;
}): Promise<number> {
  const { root, env } = options;
  let chosen;
  try {
    chosen = readStartArguments(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\nnpm start -- --help shows all options.`);
    return 2;
  }
  if (chosen.help) {
    console.log(USAGE);
    return 0;
  }
  const { data, ports, tour } = chosen;
  const progress = createProgress(process.stdout, env);
  const stop = listenForStop();
  const lifecycle = new Lifecycle();
  let status: number;
  try {
    mkdirSync(data, { recursive: true });
    const lock = await takeRunLock(data);
    lifecycle.own('lock', { close: async () => lock.release() });
    if (chosen.reset) resetData(data);
    removeStackFile(data);
    generate();
    const stack = await startStack({ root, data, ports, env, progress, signal: stop.signal, lifecycle });
    tellReady(progress, stack);
    status = await stay({ stack, tour, root, progress, stop });
  } catch (error) {
    if (error instanceof AlreadyRunning) {
      console.error(
        `Kontoport runs already on ${shown(data)} (process ${error.pid}). Use it with npm run tour, stop it with Ctrl-C in its terminal, or start a second one with --data FOLDER and ports of its own.`,
      );
      return 1;
    }
    status = explainFailure(progress, error);
  }
  progress.line('Stopping.');
  await lifecycle.close({
    error: (fields, message) => progress.line(`not stopped cleanly: ${message} ${JSON.stringify(fields)}`),
  });
  progress.line('Stopped.');
  stop.release();
  return status;
}
