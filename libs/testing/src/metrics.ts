/** A series of a metric at one moment. */
export interface Series {
  /** Of the sample: that of its family, perhaps with `_bucket`, `_sum` or `_count`. */
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric with its series. */
export interface Family {
  name: string;
  type: string;
  help: string;
  series: Series[];
}

/** What was measured, at one moment. */
export class Metrics {
  readonly families: ReadonlyMap<string, Family>;

  constructor(families: ReadonlyMap<string, Family>) {
    this.families = families;
  }

  /** The sum of the series of a name that have these labels, and perhaps others; 0 when there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels);
    return [...this.families.values()]
      .flatMap(({ series }) => series)
      .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }
}

/** Asks an ops server for its metrics. @throws Error unless they are whole and in the exact form */
export async function readMetrics(opsPort: number): Promise<Metrics> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/plain; version=0.0.4; charset=utf-8')
    throw new Error(`/metrics: ${response.status} ${type}`);
  return parseMetrics(await response.text());
}

const NAME = '[a-zA-Z_][a-zA-Z0-9_]*';
const HELP = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.+)\\})? (\\S+)$`);
const LABEL = new RegExp(`(${NAME})="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"(?:,(?=.)|$)`, 'y');
const VALUE = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;

/**
 * Reads Prometheus' text format, more strictly than Prometheus does: each family once, with its help and its type before
 * its series, if it has any yet, no series twice, counters that end in `_total`, histograms that add up.
 */
export function parseMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const lines = text.slice(0, -1).split('\n');
  const families = new Map<string, Family>();
  let family: Family | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const help = HELP.exec(line);
    if (help !== null) {
      const [, name = '', words = ''] = help;
      const [, typed, type = ''] = TYPE.exec(lines[++at] ?? '') ?? [];
      if (typed !== name) throw new Error(`${name}: no type after its help`);
      if (families.has(name)) throw new Error(`${name}: twice`);
      family = { name, type, help: words, series: [] };
      families.set(name, family);
      continue;
    }
    if (family === undefined) throw new Error(`before the first family: ${line}`);
    family.series.push(parseSeries(line));
  }
  for (const each of families.values()) check(each);
  return new Metrics(families);
}

function parseSeries(line: string): Series {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (!VALUE.test(value)) throw new Error(`no series: ${line}`);
  return { name, labels: parseLabels(labels), value: Number(value.replace('Inf', 'Infinity')) };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    LABEL.lastIndex = at;
    const [, name, value = ''] = LABEL.exec(text) ?? [];
    if (name === undefined || name in labels) throw new Error(`no labels: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

function check({ name, type, series }: Family): void {
  const seen = new Set(series.map((one) => `${one.name} ${identityOf(one.labels)}`));
  if (seen.size !== series.length) throw new Error(`${name}: a series twice`);
  if (type === 'histogram') return checkHistogram(name, series);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name}: the name of no ${type}`);
  for (const one of series) {
    if (one.name !== name) throw new Error(`${one.name}: among those of ${name}`);
    if (Number.isNaN(one.value) || (type === 'counter' && one.value < 0))
      throw new Error(`${name}: ${one.value}`);
  }
}

/** Buckets grow with their bounds, and the last one, without bound, holds all. */
function checkHistogram(name: string, series: readonly Series[]): void {
  const rows = Map.groupBy(series, ({ labels: { le: _le, ...labels } }) => identityOf(labels));
  for (const row of rows.values()) {
    const buckets = row.filter((one) => one.name === `${name}_bucket`);
    const [count, more] = row.filter((one) => one.name === `${name}_count`);
    const [sum] = row.filter((one) => one.name === `${name}_sum`);
    if (row.length !== buckets.length + 2 || count === undefined || more !== undefined || sum === undefined)
      throw new Error(`${name}: not whole`);
    const bounds = buckets.map(({ labels: { le = '' } }) => Number(le.replace('Inf', 'Infinity')));
    const grows = buckets.every(
      ({ value }, at) => at === 0 || (bounds[at - 1]! < bounds[at]! && buckets[at - 1]!.value <= value),
    );
    if (!grows || bounds.at(-1) !== Infinity || buckets.at(-1)!.value !== count.value || sum.value < 0)
      throw new Error(`${name}: does not add up`);
  }
}

function identityOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
