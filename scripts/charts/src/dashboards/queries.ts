import type { Query } from '../grafana.ts';

/** Of the environments that are chosen, and of those that Prometheus gives no namespace. */
export const HERE = 'namespace=~"$namespace"';

export const one = (expr: string, legend: string): Query[] => [{ expr, legend }];

export const rate = (metric: string, by: string, matchers = ''): string =>
  `sum by (${by}) (rate(${metric}{${HERE}${matchers}}[$__rate_interval]))`;

export const quantile = (q: number, metric: string, by: string, matchers = ''): string =>
  `histogram_quantile(${q}, sum by (${by === '' ? '' : `${by}, `}le) (rate(${metric}_bucket{${HERE}${matchers}}[$__rate_interval])))`;

export const halfAndMost = (metric: string, by: string, legend: string, matchers = ''): Query[] => [
  { expr: quantile(0.5, metric, by, matchers), legend: `${legend} p50` },
  { expr: quantile(0.99, metric, by, matchers), legend: `${legend} p99` },
];
