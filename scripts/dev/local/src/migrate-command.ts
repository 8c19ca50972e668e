import { Argument, CliCommand, exits } from '@kontoport/command';
import { SERVICES } from './services.ts';

/** `kontoport migrate`: brings the database of a service up to its version. */
export const migrateCommand = new CliCommand('migrate')
  .summary('applies the migrations of a service')
  .description(
    `Applies the pending migrations of a service to the database at DATABASE_URL, with DATABASE_TLS_* as the service has them, and prints their names.

Run it before a new version starts. Several runs at the same time wait for each other. A failed migration changes nothing.`,
  )
  .addArgument(new Argument('<SERVICE>').choices(SERVICES))
  .addHelpText('after', '\nExample: npx kontoport migrate payments')
  .action(exits(async (service: string) => (await import('./migrate.ts')).migrate(service, process.env)));
