import { headText, type Labels, labelsText, nameText, sampleText, SeriesByLabels } from './metric-series.ts';

/** How a metric is declared, once, beside what it measures. */
export interface MetricDefinition {
  /** In OpenTelemetry's form, without the unit: `http.server.request.duration`. */
  name: string;
  /** One sentence for whoever reads it. */
  help: string;
}

/** Tells a value of a gauge, or the sum of a counter, for labels. */
export type Tell = (value: number, labels?: Labels) => void;

/** Bounds of the buckets of durations, in seconds, as the conventions advise. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** What writes each metric of this process, by its name in the text. */
const metrics = new Map<string, () => string>();

/** Of `metricsText`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Everything that was measured in this process, in Prometheus' text format. @throws what the reading of a gauge throws */
export function metricsText(): string {
  return [...metrics.values()].map((write) => write()).join('');
}

/**
 * A histogram of durations, in seconds where it is read. Declare it at the top of a module.
 * @example
 * const durations = durationsOf({ name: 'kontoport.thing.duration', help: 'How long a thing took.' });
 * durations.since(started, { outcome: 'done' });
 */
export function durationsOf({ name: named, help }: MetricDefinition): {
  /** @param milliseconds how long it took */
  record(milliseconds: number, labels?: Labels): void;
  /** @param started of the monotonic clock: `performance.now()` */
  since(started: number, labels?: Labels): void;
  /** The same for these labels alone: whoever measures again and again need not look for their series each time. */
  of(labels: Labels): Durations;
} {
  const name = nameText(`${named}.seconds`);
  const series = new SeriesByLabels(() => ({ counts: [...BOUNDS, Infinity].map(() => 0), sum: 0 }));
  declare({ name, type: 'histogram', help }, () =>
    [...series.entries()].map(([labels, durations]) => histogramText(name, labels, durations)),
  );
  const record = (milliseconds: number, labels?: Labels): void => add(series.of(labels), milliseconds);
  return {
    record,
    since: (started, labels) => record(performance.now() - started, labels),
    of: (labels) => {
      const durations = series.of(labels);
      return { since: (started) => add(durations, performance.now() - started) };
    },
  };
}

/** Durations of one series. */
export interface Durations {
  /** @param started of the monotonic clock: `performance.now()` */
  since(started: number): void;
}

function add(durations: { counts: number[]; sum: number }, milliseconds: number): void {
  const seconds = milliseconds / 1_000;
  let at = 0;
  while (seconds > BOUNDS[at]!) at++;
  durations.counts[at]! += 1;
  durations.sum += seconds;
}

/** A count that only grows; `_total` is added to its name where it is read. */
export function counterOf(metric: MetricDefinition): { add(count: number, labels?: Labels): void } {
  return adding({ name: `${nameText(metric.name)}_total`, type: 'counter', help: metric.help });
}

/** A number of things at hand, changed by one or more. */
export function levelOf(metric: MetricDefinition): { add(change: number, labels?: Labels): void } {
  return adding({ name: nameText(metric.name), type: 'gauge', help: metric.help });
}

/** A value that is read whenever somebody asks: from memory, at once. Units are part of its name, in full. */
export function gaugeOf(metric: MetricDefinition, read: (tell: Tell) => void): void {
  reading({ name: nameText(metric.name), type: 'gauge', help: metric.help }, read);
}

/** A sum that only grows and that somebody else keeps, read as a gauge is. */
export function sumOf(metric: MetricDefinition, read: (tell: Tell) => void): void {
  reading({ name: `${nameText(metric.name)}_total`, type: 'counter', help: metric.help }, read);
}

interface Declared {
  /** As it stands in the text. */
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
}

function declare(metric: Declared, samples: () => string[]): void {
  if (metrics.has(metric.name)) throw new Error(`the metric ${metric.name} is declared twice`);
  metrics.set(metric.name, () => headText(metric) + samples().join(''));
}

function adding(metric: Declared): { add(change: number, labels?: Labels): void } {
  const series = new SeriesByLabels(() => ({ value: 0 }));
  declare(metric, () =>
    [...series.entries()].map(([labels, { value }]) => sampleText(metric.name, labels, value)),
  );
  return { add: (change, labels) => void (series.of(labels).value += change) };
}

function reading(metric: Declared, read: (tell: Tell) => void): void {
  declare(metric, () => {
    const told = new Map<string, number>();
    read((value, labels) => told.set(labelsText(labels), value));
    return [...told].map(([labels, value]) => sampleText(metric.name, labels, value));
  });
}

/** Buckets hold what lies in those before them, too. */
function histogramText(name: string, labels: string, durations: { counts: number[]; sum: number }): string {
  const and = labels === '' ? '' : `${labels},`;
  let count = 0;
  const buckets = durations.counts.map((more, at) => {
    count += more;
    return sampleText(`${name}_bucket`, `${and}le="${BOUNDS[at] ?? '+Inf'}"`, count);
  });
  const { sum } = durations;
  return [
    ...buckets,
    sampleText(`${name}_sum`, labels, sum),
    sampleText(`${name}_count`, labels, count),
  ].join('');
}
