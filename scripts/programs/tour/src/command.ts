import { createInterface } from 'node:readline';
import { CliCommand, exits } from '@kontoport/command';
import { readStack, stackFile } from '@kontoport/profile';
import type { Sandbox } from './script.ts';

/** `kontoport tour`: a third party provider uses a running stack, from registration to deletion. */
export const tourCommand = new CliCommand('tour')
  .summary('uses a running stack as a third party provider, step by step')
  .description(
    'A third party provider uses a running stack: it registers with a fresh QWAC, reads accounts, pays, receives a signed webhook, and deletes its client. It uses HTTP over mutual TLS and reads nothing but stack.json.',
  )
  .option('--verbose', 'print each call with its answer')
  .option('--steps', 'wait for Enter before each chapter; implies --verbose')
  .option('--stack <FILE>', 'stack.json of the stack (default: .local/stack.json)')
  .addHelpText('after', '\nExample: npx kontoport tour --verbose')
  .action(exits(takeTour));

interface TourOptions {
  stack?: string;
  verbose?: boolean;
  steps?: boolean;
}

async function takeTour({ stack, verbose = false, steps = false }: TourOptions): Promise<number> {
  const file = stackFile(stack);
  const sandbox = readStack(file);
  const [{ runTour }, { createNarrator }, { TourFailure }] = await Promise.all([
    import('./run-tour.ts'),
    import('./narrator.ts'),
    import('./expectations.ts'),
  ]);
  const input = steps ? createInterface({ input: process.stdin }) : undefined;
  const lines = input?.[Symbol.asyncIterator]();
  const pause = lines && (() => (process.stdout.write('\nEnter: the next chapter. '), lines.next()));
  const narrator = createNarrator(process.stdout, { env: process.env, verbose: verbose || steps, pause });
  try {
    await runTour(sandbox as Sandbox, narrator);
    return 0;
  } catch (error) {
    if (error instanceof TourFailure) narrator.failure(error);
    else if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      console.error(`\nThe stack of ${file} does not answer. Start it with npm start.`);
    else throw error;
    return 1;
  } finally {
    input?.close();
  }
}
