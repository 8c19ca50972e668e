import { resolve } from 'node:path';
import { Argument, CliCommand, exits } from '@kontoport/command';
import { type ServiceName, SERVICES } from './services.ts';

/** `kontoport reseal`: encrypts stored secrets with the newest key. */
export const resealCommand = new CliCommand('reseal')
  .summary('encrypts the stored secrets of a service with its newest key')
  .description(
    `Encrypts every secret in the database of a service with the first key of SECRETS_KEY, while the service runs. Set DATABASE_URL, DATABASE_TLS_* and SECRETS_KEY, or SECRETS_KEY_FILE, as the service has them; or name the data folder of a running local stack.

It prints counts, and ends with 1 while a secret depends on another key. Repeat it until it ends with 0. Then remove the other keys from SECRETS_KEY.`,
  )
  .addArgument(new Argument('<SERVICE>').choices(SERVICES))
  .option('--data <FOLDER>', 'data folder of a local stack, whose database and secrets are used')
  .addHelpText('after', '\nExample: npx kontoport reseal webhook-dispatcher --data .local')
  .action(
    exits(async (service: ServiceName, { data }: { data?: string }) => {
      const { localEnvironment, reseal } = await import('./reseal.ts');
      return reseal(service, data === undefined ? process.env : localEnvironment(service, resolve(data)));
    }),
  );
