import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliCommand, exits, InputError } from '@kontoport/command';
import type { Sandbox } from './script.ts';

/** `kontoport tour`: a third party provider uses a running stack, from its certificate to its farewell. */
export const tourCommand = new CliCommand('tour')
  .summary('takes the tour through a stack that runs')
  .description(
    'A third party provider uses a running stack: it registers with a fresh QWAC, reads accounts, pays, receives a signed webhook, and leaves. It speaks HTTP over mutual TLS and knows nothing but stack.json.',
  )
  .option('--stack <FILE>', 'where the stack is found (default: .local/stack.json)')
  .addHelpText('after', '\nExample: npx kontoport tour')
  .action(exits(takeTour));

async function takeTour({ stack }: { stack?: string }): Promise<number> {
  const file = resolve(stack ?? join(import.meta.dirname, '../../../../.local/stack.json'));
  if (!existsSync(file))
    throw new InputError(`no stack runs: ${file} does not exist. Start one with npm start.`);
  const [{ runTour }, { createNarrator }, { TourFailure }] = await Promise.all([
    import('./run-tour.ts'),
    import('./narrator.ts'),
    import('./expectations.ts'),
  ]);
  const narrator = createNarrator(process.stdout, process.env);
  try {
    await runTour(JSON.parse(readFileSync(file, 'utf8')) as Sandbox, narrator);
    return 0;
  } catch (error) {
    if (error instanceof TourFailure) narrator.failure(error);
    else if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      console.error(`The stack of ${file} does not answer. Start it with npm start.`);
    else throw error;
    return 1;
  }
}
