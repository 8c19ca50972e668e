import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page of the metrics. */
export const MEASURED = readFileSync(
  join(import.meta.dirname, '../../../docs/operations/metrics.md'),
  'utf8',
);

/** Metrics of Prometheus itself. */
const OWN = ['up'];
/** Suffixes of the series of a histogram. */
const PARTS = /_(bucket|count|sum)$/;

/** The names of metrics in an expression: the name before a selector or a range, or a whole operand. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '{}')
    .replaceAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ');
  const words = bare.match(/[a-zA-Z_][\w:]*(?!\w|\s*\()/g) ?? [];
  return words.filter((word) => !/^(and|or|unless|offset|bool|\d*[smhdwy])$/.test(word));
}

/** The labels that an expression chooses by. */
export const labelsIn = (expr: string): string[] =>
  [...expr.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!);

/** Whether a service exports the metric, or Prometheus itself does. */
export const isMeasured = (name: string): boolean =>
  OWN.includes(name) ||
  MEASURED.includes(`\`${name}\``) ||
  MEASURED.includes(`\`${name.replace(PARTS, '')}\``);
