import { Argument, CliCommand, exits } from '@kontoport/command';
import { SERVICES } from './services.ts';

/** `kontoport reseal`: has no stored secret depend on an older key. */
export const resealCommand = new CliCommand('reseal')
  .summary('encrypts the stored secrets of a service with its newest key')
  .description(
    `Seals everything in the database of a service with the first key of SECRETS_KEY, beside the service as it runs. DATABASE_URL, DATABASE_TLS_* and SECRETS_KEY, or the file in SECRETS_KEY_FILE, are as the service has them.

It prints what it has found, and ends with 1 while anything is left under another key. Repeat it until it ends with 0; then the other keys may be dropped from SECRETS_KEY.`,
  )
  .addArgument(new Argument('<SERVICE>').choices(SERVICES))
  .action(exits(async (service: string) => (await import('./reseal.ts')).reseal(service, process.env)));
