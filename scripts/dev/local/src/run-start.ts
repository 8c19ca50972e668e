import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { list, type Row, shown, type Style, wrap } from '@kontoport/command';
import { Lifecycle } from '@kontoport/lifecycle';
import { generate } from '@kontoport/repo/generate';
import { readableLine } from './log-line.ts';
import { createProgress, type Progress } from './progress.ts';
import { resetData } from './reset-data.ts';
import { AlreadyRunning, takeRunLock } from './run-lock.ts';
import { removeStackFile } from './stack-file.ts';
import { type Stack, startStack } from './stack.ts';
import type { StartArguments } from './start-arguments.ts';
import { type Death, ServiceDied } from './supervise.ts';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof SIGNALS;

/** The end of a run by a signal of the user or the system. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly by: StopSignal;

  constructor(by: StopSignal) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

/** Turns the first signal to stop into an abort. Later ones change nothing: the stack is stopping already. */
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
  // The reader has gone (npm start | head), which counts as a hang-up.
  process.stdout.on('error', () => controller.abort(new Stopped('SIGHUP')));
  return {
    signal: controller.signal,
    stopped,
    release() {
      for (const { name, stop } of listeners) process.off(name, stop);
    },
  };
}

function printDeath(progress: Progress, death: Death): void {
  const { line, style } = progress;
  line();
  line(style(['red', 'bold'], `${death.name} ${death.how}.`));
  for (const raw of death.lastLines)
    for (const text of readableLine(raw, { style }).text.split('\n')) line(`  ${text}`);
  line(`Its log: ${shown(death.logFile)}`);
}

const dimmed =
  (style: Style) =>
  ({ name, what }: Row): Row => ({ name, what: style('dim', what) });

function printReady(progress: Progress, { content }: Stack): void {
  const { line, style, width } = progress;
  const addresses = [
    ['base_url', content.baseUrl, 'accounts, payments, webhook subscriptions'],
    ['registration_url', content.registrationUrl, 'registration and client management'],
    ['auth_url', content.authUrl, 'tokens'],
    ['user_url', content.userUrl, "the bank's users, no client certificate"],
  ] as const;
  const rows = [
    ...addresses.map(([name, url, what]) => ({ name: `${name.padEnd(17)} ${url}`, what })),
    ...(content.bank
      ? [
          {
            name: `${"bank's app".padEnd(17)} ${content.bank.pages}/app`,
            what: 'the example bank; scripts/dev/bank/src/users.ts lists its users',
          },
        ]
      : []),
  ];
  line();
  line(style('bold', `Kontoport is ready after ${(performance.now() / 1_000).toFixed(1)} s.`));
  for (const text of list(rows, { width, mark: dimmed(style) })) line(text);
}

/** Prints the values that the configurations of docs/edge require. */
function printProxyNeeds(progress: Progress, { content }: Stack): void {
  const { line, style, width } = progress;
  const { proxy } = content;
  if (proxy === undefined) return;
  const rows = [
    ...Object.entries(proxy.upstreams),
    ['EDGE_FORMAT', proxy.format],
    ['X-Edge-Secret', `the content of ${shown(proxy.secretFile)}`],
    ['SERVER_CERTIFICATE', shown(proxy.serverCertificate)],
    ['SERVER_KEY', shown(proxy.serverKey)],
    ['TRUSTED_CAS', shown(content.serverCa)],
    ...Object.entries(proxy.internalTls ?? {}).map(([name, file]) => [name, shown(file)]),
  ].map(([name, value]) => ({ name: `${name!.padEnd(28)} ${value}`, what: '' }));
  line();
  line(
    style(
      'bold',
      'Put your proxy in front, at the four addresses. docs/edge has its configuration, which needs',
    ),
  );
  for (const text of list(rows, { width, mark: dimmed(style) })) line(text);
}

function printNextSteps(progress: Progress, { content, file }: Stack): void {
  const { line, style, width } = progress;
  const data = dirname(file);
  const isDefault = shown(data) === '.local';
  const stack = isDefault ? '' : ` --stack ${shown(file)}`;
  const rows: Row[] = [
    {
      name: `npx kontoport login${stack}`,
      what: 'a client of your own; then call, listen and trigger use the bank',
    },
    ...(content.bank === undefined
      ? [{ name: `npx kontoport tour --verbose${stack}`, what: 'the tour again, with each call' }]
      : []),
    {
      name: `npx kontoport logs --follow${isDefault ? '' : ` --data ${shown(data)}`}`,
      what: 'the logs of the services',
    },
    { name: 'npx kontoport --help', what: 'more commands' },
  ];
  line();
  line(style('bold', 'The stack stays up. Continue with'));
  for (const text of list(rows, { width, mark: dimmed(style) })) line(text);
  const last = `Ctrl-C stops everything. Data stay in ${shown(data)}/; --reset starts over.`;
  for (const text of wrap(last, width)) line(text);
  if (content.bank === undefined) line(`Developer portal: ${content.baseUrl}/`);
}

/** Runs the tour as a process of its own, which reads stack.json only. @returns its exit status */
async function runTour(options: { root: string; stack: Stack; signal: AbortSignal }): Promise<number> {
  const script = join(options.root, 'scripts/programs/kontoport/kontoport.mjs');
  const child = spawn(process.execPath, [script, 'tour', '--stack', options.stack.file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = (): void => void child.kill('SIGTERM');
  options.signal.addEventListener('abort', end, { once: true });
  if (options.signal.aborted) end();
  const [code] = (await once(child, 'exit')) as [number | null];
  options.signal.removeEventListener('abort', end);
  return code ?? 1;
}

/** Waits for the end of a stack that is ready. @returns the exit status */
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
    progress.line();
    const status = await runTour({ root: options.root, stack, signal });
    if (options.tour === 'run and exit' && !signal.aborted) return status;
    if (!signal.aborted && status !== 0)
      progress.line('The tour failed; the stack stays up for a look around.');
  }
  if (!stop.signal.aborted && !ended.signal.aborted) printNextSteps(progress, stack);
  const end = await Promise.race([death, stop.stopped]);
  // To stop a stack that stays up is its ordinary end. A tour that should give the status was cut short.
  if (end instanceof Stopped) return options.tour === 'run and exit' ? SIGNALS[end.by] : 0;
  printDeath(progress, end);
  return 1;
}

/** Prints why a start failed. @returns the exit status */
function explainFailure(progress: Progress, error: unknown): number {
  if (error instanceof Stopped) return SIGNALS[error.by];
  if (error instanceof ServiceDied) printDeath(progress, error.death);
  else {
    const words = `kontoport start: ${error instanceof Error ? error.message : String(error)}`;
    for (const text of wrap(words, progress.width)) progress.line(progress.style('red', text));
  }
  return 1;
}

/** Starts the stack and waits for its end. @returns the exit status, when everything has stopped */
export async function runStart(options: {
  chosen: StartArguments;
  env: NodeJS.ProcessEnv;
  root: string;
}): Promise<number> {
  const { chosen, root, env } = options;
  const { data, ports, kafka, edge, replicas, environment, bundles, tour } = chosen;
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
    const stack = await startStack({
      root,
      data,
      ports,
      kafka,
      edge,
      replicas,
      environment,
      bundles,
      env,
      progress,
      signal: stop.signal,
      lifecycle,
    });
    printReady(progress, stack);
    printProxyNeeds(progress, stack);
    status = await stay({ stack, tour, root, progress, stop });
  } catch (error) {
    if (error instanceof AlreadyRunning)
      throw new Error(
        `Kontoport runs already on ${shown(data)} (process ${error.pid}). Use it with npm run tour, stop it with Ctrl-C in its terminal, or start a second one with --data FOLDER and ports of its own`,
        { cause: error },
      );
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
