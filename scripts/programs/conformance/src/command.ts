import { CliCommand, exits, repeated } from '@kontoport/command';
import type { ConformanceOptions } from './conformance.ts';

/** Checks a deployment against the contract. */
export const conformanceCommand = new CliCommand('conformance')
  .summary('checks a deployment against the contract')
  .description(
    `Calls a deployment of the interface as a TPP does, and checks it against the clauses of the contract. It registers clients of its own and deletes them at the end. In a sandbox it also pays, subscribes to webhooks and asks a simulated user for consent.

Exit status: 0 every check passed or was skipped, 1 a check failed, 2 the configuration does not fit: an address is unreachable, a certificate is not accepted, or the client gets no token.`,
  )
  .requiredOption('--config <FILE>', 'stack.json, or a file with the addresses and PEM files of a deployment')
  .option('--profile <NAME>', 'client of a profile beside the configuration, instead of a new one')
  .option('--only <CLAUSE>', 'checks of this clause only, such as 4.3; may be repeated', repeated)
  .option('--junit <FILE>', 'write a report as JUnit XML')
  .option('--html <FILE>', 'write a report as a page')
  .option('--json', 'print one JSON object')
  .addHelpText('after', '\nExample: npx kontoport conformance --config .local/stack.json --html report.html')
  .action(
    exits(async (options: ConformanceOptions) => (await import('./conformance.ts')).conformance(options)),
  );
