import { CliCommand, exits } from '@kontoport/command';
import type { StatisticsOptions } from './statistics.ts';

/** `kontoport statistics`: what a bank publishes every quarter. */
export const statisticsCommand = new CliCommand('statistics')
  .summary('computes the quarterly figures of the interface')
  .description(
    `Prints the quarterly figures that a bank publishes about its interfaces (RTS art. 32). Each UTC day has availability, downtime, the average response time, the error rate, and the measured share of the day.

Prometheus must have loaded the rules of charts/kontoport/files/rules and keep their records for a quarter. PROMETHEUS_TOKEN is sent as a bearer token. docs/operations/statistics.md explains the figures.`,
  )
  .option('--prometheus <URL>', 'address of Prometheus')
  .option('--quarter <QUARTER>', 'such as 2026-Q3; the current quarter up to yesterday')
  .option('--namespace <NAME>', 'namespace of the bank, if Prometheus has several')
  .option('--json', 'print JSON')
  .option('--csv', 'print CSV')
  .addHelpText(
    'after',
    `
Example: npx kontoport statistics --prometheus http://localhost:9090 \\
           --quarter 2026-Q3`,
  )
  .action(
    exits(async (options: StatisticsOptions) => {
      const { printStatistics } = await import('./statistics.ts');
      return printStatistics(options, { now: new Date(), token: process.env.PROMETHEUS_TOKEN || undefined });
    }),
  );
