import { join } from 'node:path';
import { CliCommand, exits, Option } from '@kontoport/command';
import { type EdgeAddress, PORT_OPTIONS, readStartArguments, type StartOptions } from './start-arguments.ts';

const portOption = (address: EdgeAddress): Option => {
  const { flag, variable, standard } = PORT_OPTIONS[address];
  return new Option(
    `--${flag} <N>`,
    `port of the ${address} address; or ${variable}=N (default: ${standard})`,
  );
};

/** `kontoport start`: the whole sandbox on this machine, and a tour through it. */
export const startCommand = new CliCommand('start')
  .summary('starts the whole bank on this machine, and a tour through it')
  .description(
    'Starts Kontoport on this machine: PostgreSQL, a Kafka broker, the five services, a mutual TLS edge, and then a tour in which a third party provider uses the bank.',
  )
  .option('--no-tour', 'start only')
  .option('--exit-after-tour', 'stop after the tour, with its exit status')
  .option('--reset', 'delete the data of earlier runs first (databases, keys, certificates)')
  .option('--production', 'run as in production, with the example bank of scripts/dev/bank; without a tour')
  .option('--data <FOLDER>', 'folder of data, certificates and logs (default: .local, or .local/production)')
  .addOption(
    new Option('--kafka <KIND>', 'embedded, or apache: Apache Kafka, which needs Java')
      .choices(['embedded', 'apache'])
      .default('embedded'),
  )
  .addOption(
    new Option('--edge <KIND>', 'own, or none: prints the settings of your own proxy')
      .choices(['own', 'none'])
      .default('own'),
  )
  .option(
    '--replicas <N>',
    'processes of each service; one that ends starts again (default: 1; the sandbox has one of payments)',
  )
  .option('--bundles <FOLDER>', 'run the bundles that docker/src/bundle.ts made, instead of the sources')
  .addOption(portOption('base'))
  .addOption(portOption('registration'))
  .addOption(portOption('auth'))
  .addOption(portOption('user'))
  .addHelpText(
    'after',
    `
Port 0 means any free port. DATABASE_URL and KAFKA_BROKERS replace the embedded
PostgreSQL and broker; DATABASE_TLS_*, KAFKA_TLS_* and KAFKA_SASL_*
configure their connections. LOG_LEVEL, EDGE_FORMAT, INTERMEDIATES, REVOCATION,
SETTLEMENT_DELAY, WEBHOOK_RETRY_SCHEDULE, CALLBACK_ALLOW, CALLBACK_PROXY and
OTEL_* are passed to the services.

Example: npm start -- --no-tour --base-port 28000`,
  )
  .action(
    exits(async (options: StartOptions) => {
      const root = join(import.meta.dirname, '../../../..');
      const { runStart } = await import('./run-start.ts');
      const chosen = readStartArguments({ options, env: process.env, root });
      return runStart({ chosen, env: process.env, root });
    }),
  );
