import { type Attributes, type Meter, metrics, type Observable, ValueType } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  InstrumentType,
  MeterProvider,
  type MetricData,
  MetricReader,
} from '@opentelemetry/sdk-metrics';

/**
 * The attributes that distinguish the series of a metric. Names are those of OpenTelemetry's semantic conventions where they have
 * one. Values come from closed lists, never from a caller: no client, subscription, URL, id or name.
 */
export type Labels = Readonly<Record<string, string | number>>;

/** Describes a metric; declared once, beside what it measures. */
export interface MetricDefinition {
  /** In OpenTelemetry's form, without the unit: `http.server.request.duration`. */
  name: string;
  /** One sentence for the reader of the metric. */
  help: string;
}

/** Observes a value of a gauge, or the sum of a counter, for labels. */
export type Observe = (value: number, labels?: Labels) => void;

/** Boundaries of the buckets of durations, in seconds, as the conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Keeps sums, and the last observed values of gauges: a gauge that is not observed any more is not reported. */
class ScrapeReader extends MetricReader {
  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE
          ? AggregationTemporality.DELTA
          : AggregationTemporality.CUMULATIVE,
    });
  }

  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const reader = new ScrapeReader();
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

/** Provides the meters of `/metrics`. It is not the global one, so that no instrumentation measures a request a second time. */
export const meterProvider = new MeterProvider({ readers: [reader] });

/** The second meter exports metrics if OTEL_METRICS_EXPORTER names an exporter, and does nothing otherwise. */
const METERS: readonly Meter[] = [meterProvider.getMeter('kontoport'), metrics.getMeter('kontoport')];

/** The content type of `metricsText`. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Collects every metric of this process in Prometheus' text format. @throws what the callback of a gauge throws */
export async function metricsText(): Promise<string> {
  const { resourceMetrics, errors } = await reader.collect();
  if (errors.length > 0) throw errors[0];
  const recorded = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  const all = [...recorded, ...declaredSeries(recorded)].map(withUnitName);
  return serializer.serialize({ ...resourceMetrics, scopeMetrics: [{ scope: { name: '' }, metrics: all }] });
}

/** A histogram of durations. */
export interface DurationHistogram {
  /** @param milliseconds how long it took */
  record(milliseconds: number, labels?: Labels): void;
  /** @param started of the monotonic clock: `performance.now()` */
  since(started: number, labels?: Labels): void;
  /** Declares a series, which `/metrics` has from 0 on: a rate does not see a count that begins with 1. */
  of(labels: Labels): DurationSeries;
}

/** Durations of one series. */
export interface DurationSeries {
  /** @param started of the monotonic clock: `performance.now()` */
  since(started: number): void;
}

/**
 * Creates a histogram of durations, exported in seconds. Declare it at the top of a module.
 * @example
 * const durations = durationHistogram({ name: 'kontoport.thing.duration', help: 'Duration of a thing.' });
 * durations.since(started, { outcome: 'done' });
 */
export function durationHistogram({ name, help }: MetricDefinition): DurationHistogram {
  const options = { description: help, unit: 's', advice: { explicitBucketBoundaries: BOUNDARIES } };
  const histograms = METERS.map((meter) => meter.createHistogram(name, options));
  const record = (milliseconds: number, labels?: Labels): void =>
    histograms.forEach((histogram) => histogram.record(milliseconds / 1_000, labels));
  return {
    record,
    since: (started, labels) => record(performance.now() - started, labels),
    of(labels) {
      const series = declared.get(name) ?? new Map<string, Labels>();
      declared.set(name, series.set(identityOf(labels), labels));
      return { since: (started) => record(performance.now() - started, labels) };
    },
  };
}

/** Creates a count that only grows; `_total` is added to its name where it is read. */
export function counter({ name, help }: MetricDefinition): { add(count: number, labels?: Labels): void } {
  const counters = METERS.map((meter) => meter.createCounter(name, { description: help }));
  return { add: (count, labels) => counters.forEach((each) => each.add(count, labels)) };
}

/** Creates a number that the code raises and lowers, such as requests in flight. */
export function upDownCounter({ name, help }: MetricDefinition): {
  add(change: number, labels?: Labels): void;
} {
  const levels = METERS.map((meter) => meter.createUpDownCounter(name, { description: help }));
  return { add: (change, labels) => levels.forEach((level) => level.add(change, labels)) };
}

/** Creates a value that is read at each collection: from memory, at once. Units are part of its name, in full. */
export function observableGauge({ name, help }: MetricDefinition, read: (observe: Observe) => void): void {
  for (const meter of METERS) observe(meter.createObservableGauge(name, { description: help }), read);
}

/** Creates a counter whose sum is kept elsewhere, and observed as a gauge is. */
export function observableCounter({ name, help }: MetricDefinition, read: (observe: Observe) => void): void {
  for (const meter of METERS) observe(meter.createObservableCounter(name, { description: help }), read);
}

function observe(instrument: Observable, read: (tell: Observe) => void): void {
  instrument.addCallback((result) => read((value, labels) => result.observe(value, labels)));
}

const UNIT_NAMES: Readonly<Record<string, string>> = { s: '.seconds', By: '.bytes' };

/** Writes the unit into the name, as OpenTelemetry's rules for Prometheus require; the exporter does not. */
function withUnitName(metric: MetricData): MetricData {
  const { descriptor } = metric;
  const name = descriptor.name + (UNIT_NAMES[descriptor.unit] ?? '');
  return { ...metric, descriptor: { ...descriptor, name, unit: '' } };
}

/** Series that `/metrics` has from 0 on, by the name of their histogram, then by the identity of their labels. */
const declared = new Map<string, Map<string, Labels>>();

/** Makes the declared series of which nothing has been recorded. */
function declaredSeries(recorded: readonly MetricData[]): MetricData[] {
  return [...declared].map(([name, series]) => {
    const known = new Set(
      recorded
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => identityOf(attributes))),
    );
    const missing = [...series].filter(([identity]) => !known.has(identity));
    return {
      descriptor: { name, description: '', unit: 's', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: missing.map(([, attributes]) => ({ ...NOTHING, attributes })),
    };
  });
}

const NOTHING: Omit<DataPoint<Histogram>, 'attributes'> = {
  startTime: [0, 0],
  endTime: [0, 0],
  value: {
    buckets: { boundaries: BOUNDARIES, counts: [...BOUNDARIES, Infinity].map(() => 0) },
    sum: 0,
    count: 0,
  },
};

/** Is the same for the same labels, in whichever order they are written. */
function identityOf(labels: Attributes): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
