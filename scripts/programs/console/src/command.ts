import { CliCommand, exits, Option } from '@kontoport/command';
import type { ConsoleOptions } from './console.ts';

/** `kontoport console`: the simulated bank of a TPP in a browser. */
export const consoleCommand = new CliCommand('console')
  .summary('shows your part of the sandbox in a browser')
  .description(
    `Serves pages on this machine until Ctrl-C: your client and its certificates, requests, accounts and transactions, payments, webhook deliveries and the clock of the simulated bank. It prints a link that opens them once, in one browser, within five minutes.

The pages call the bank as your client, with the certificate and the token of the profile, which stay on this machine.`,
  )
  .option('--port <N>', 'loopback port; 0 is any free one', '8448')
  .addOption(new Option('--profile <NAME>', 'name of the profile (default: default)'))
  .addOption(new Option('--stack <FILE>', 'stack.json of the stack (default: .local/stack.json)'))
  .addHelpText('after', '\nExample: npx kontoport login && npx kontoport console')
  .action(exits(async (options: ConsoleOptions) => (await import('./console.ts')).serveConsole(options)));
