import { defineCommand } from '@kontoport/command';

/** `kontoport statistics`: what a bank publishes every quarter. */
export const statisticsCommand = defineCommand({
  summary: 'how available and how fast the bank was',
  about: `Prints what a bank publishes every quarter of its interfaces (RTS art. 32): for each day, by UTC, availability and downtime, the average time of an answer, the share of errors, and for how much of the day something was measured.

It asks a Prometheus that has read the rules of charts/kontoport/files/rules and keeps what it records for a quarter. PROMETHEUS_TOKEN is sent as a bearer token. What the figures mean stands in docs/operations/statistics.md.`,
  options: {
    prometheus: { type: 'string', value: 'URL', summary: 'where Prometheus answers' },
    quarter: {
      type: 'string',
      value: 'QUARTER',
      summary: 'such as 2026-Q3; of the one at hand the days that are over',
    },
    namespace: { type: 'string', value: 'NAME', summary: 'the bank, where Prometheus knows several' },
    json: { type: 'boolean', summary: 'print JSON' },
    csv: { type: 'boolean', summary: 'print CSV' },
  },
  run: async ({ values, env }) => {
    const { printStatistics } = await import('./statistics.ts');
    const { PROMETHEUS_TOKEN: token } = env;
    return printStatistics(values, { now: new Date(), token: token || undefined });
  },
});
