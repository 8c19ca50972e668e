import { CliCommand, exits } from '@kontoport/command';
import type { StatisticsOptions } from './statistics.ts';

/** `kontoport statistics`: what a bank publishes every quarter. */
export const statisticsCommand = new CliCommand('statistics')
  .summary('how available and how fast the bank was')
  .description(
    `Prints what a bank publishes every quarter of its interfaces (RTS art. 32): for each day, by UTC, availability and downtime, the average time of an answer, the share of errors, and for how much of the day something was measured.

It asks a Prometheus that has read the rules of charts/kontoport/files/rules and keeps what it records for a quarter. PROMETHEUS_TOKEN is sent as a bearer token. What the figures mean stands in docs/operations/statistics.md.`,
  )
  .option('--prometheus <URL>', 'where Prometheus answers')
  .option('--quarter <QUARTER>', 'such as 2026-Q3; of the one at hand the days that are over')
  .option('--namespace <NAME>', 'the bank, where Prometheus knows several')
  .option('--json', 'print JSON')
  .option('--csv', 'print CSV')
  .action(
    exits(async (options: StatisticsOptions) => {
      const { printStatistics } = await import('./statistics.ts');
      return printStatistics(options, { now: new Date(), token: process.env.PROMETHEUS_TOKEN || undefined });
    }),
  );
