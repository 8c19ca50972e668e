import type { Query } from '../grafana.ts';

/** Of the environments that are chosen, and of those that Prometheus gives no namespace. */
export const HERE = 'namespace=~"$namespace"';

/** A replica, by the labels that every panel of replicas gathers by: so each has one colour in all of them. */
export const REPLICA = 'job, instance';
/** The legend of a replica; where there is no room for all of it, what tells two apart is left. */
export const OF_REPLICA = '{{instance}} {{job}}';

/** How often in a second: events, records, attempts. */
export const PER_SECOND = 'suffix:/s';

/** The only query of a panel. */
export const one = (expr: string, legend: string): Query[] => [{ expr, legend }];

/** Each second's rate of a counter, gathered by labels; further conditions come after a comma each. */
export const rate = (metric: string, by: string, matchers = ''): string =>
  `sum by (${by}) (rate(${metric}{${HERE}${matchers}}[$__rate_interval]))`;

interface Quantile {
  q: number;
  /** Of a histogram, without `_bucket`. */
  metric: string;
  /** Labels to gather by; none: one line of all. */
  by?: string;
  /** Further conditions, each after a comma. */
  matchers?: string;
  /** What the rate is taken over. */
  range?: string;
}

/** The value that a share `q` of what a histogram counted stays below. */
export function quantile({ q, metric, by, matchers = '', range = '[$__rate_interval]' }: Quantile): string {
  const labels = by === undefined ? 'le' : `${by}, le`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${metric}_bucket{${HERE}${matchers}}${range})))`;
}
