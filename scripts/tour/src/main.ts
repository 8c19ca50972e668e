// npm run tour: a third party provider uses a running stack, from its certificate to its farewell.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TourFailure } from './expectations.ts';
import { createNarrator } from './narrator.ts';
import { runTour } from './run-tour.ts';
import type { Sandbox } from './script.ts';

const USAGE = `A third party provider uses a running stack: it registers with a fresh QWAC, reads accounts, pays,
receives a signed webhook, and leaves. It speaks HTTP over mutual TLS and knows nothing but stack.json.

  npm run tour -- [--stack FILE]     (.local/stack.json)`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      stack: { type: 'string', default: join(import.meta.dirname, '../../../.local/stack.json') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const file = resolve(values.stack);
  if (!existsSync(file)) {
    console.error(`No stack runs: ${file} does not exist. Start one with npm start.`);
    return 2;
  }
  const narrator = createNarrator(process.stdout);
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

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
