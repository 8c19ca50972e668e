import { InputError, UsageError } from '@kontoport/command';
import { type Figures, figuresOf, NOTHING, type Recorded, SAMPLE_SECONDS, sumOf } from './figures.model.ts';
import { askDaily, type Prometheus } from './prometheus.ts';
import { type Day, daysOf } from './quarter.model.ts';
import { type Row, toCsv, toJson, toText } from './show.ts';

/** The recording rules of each figure, which are in charts/kontoport/files/rules. */
const QUESTIONS: Readonly<Record<keyof Recorded, (selector: string) => string>> = {
  samples: (selector) => `count_over_time(kontoport:interface_up${selector}[1d])`,
  up: (selector) => `sum_over_time(kontoport:interface_up${selector}[1d])`,
  requests: (selector) => counted(`kontoport:interface_requests:rate5m${selector}`),
  errors: (selector) => counted(`kontoport:interface_errors:rate5m${selector}`),
  timed: (selector) => counted(`kontoport:interface_timed:rate5m${selector}`),
  seconds: (selector) => counted(`kontoport:interface_seconds:rate5m${selector}`),
};

/** Samples that several copies of the rules have recorded count once. */
const counted = (rate: string): string =>
  `avg_over_time(${rate}[1d]) * clamp_max(${SAMPLE_SECONDS} * count_over_time(${rate}[1d]), 86400)`;

/** The options of the command line. */
export interface StatisticsOptions {
  prometheus?: string;
  quarter?: string;
  namespace?: string;
  json?: boolean;
  csv?: boolean;
}

/** Prints how available and how fast each interface was on each day of a quarter (RTS art. 32). @returns the exit status */
export async function printStatistics(
  asked: StatisticsOptions,
  { now, token }: { now: Date; token: string | undefined },
): Promise<number> {
  // `fetch` would quote a token that no header can hold in its error.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new InputError('PROMETHEUS_TOKEN has characters that no token has');
  const { prometheus, quarter, days } = read(asked, now);
  const recorded = await record({ url: prometheus, token }, { days, namespace: asked.namespace });
  const rows = recorded.flatMap(([name, byDate]) => rowsOf(name, { byDate, days, quarter }));
  const write = asked.json ? toJson : asked.csv ? toCsv : toText;
  process.stdout.write(write({ quarter, rows }));
  return 0;
}

function read(asked: StatisticsOptions, now: Date): { prometheus: URL; quarter: string; days: Day[] } {
  const { prometheus, quarter, namespace, json, csv } = asked;
  const url = URL.parse(prometheus ?? '');
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError('--prometheus takes an address such as https://prometheus.bank.example');
  const days = daysOf(quarter ?? '', now);
  if (quarter === undefined || days === undefined)
    throw new UsageError('--quarter takes a quarter such as 2026-Q3');
  if (namespace !== undefined && !/^[a-z0-9-]{1,63}$/.test(namespace))
    throw new UsageError('--namespace takes the name of a namespace');
  if (json && csv) throw new UsageError('--json and --csv exclude each other');
  if (days.length === 0) throw new InputError(`of ${quarter} no day is over yet`);
  return { prometheus: url, quarter, days };
}

/** Reads the recorded samples of each interface, by date. */
async function record(
  prometheus: Prometheus,
  { days, namespace }: { days: readonly Day[]; namespace: string | undefined },
): Promise<[string, Map<string, Recorded>][]> {
  const selector = namespace === undefined ? '' : `{namespace="${namespace}"}`;
  const interfaces = new Map<string, Map<string, Recorded>>();
  const namespaces = new Set<string>();
  for (const key of Object.keys(QUESTIONS) as (keyof Recorded)[])
    for (const { labels, values } of await askDaily(prometheus, { expr: QUESTIONS[key](selector), days })) {
      namespaces.add(labels.namespace ?? '');
      const byDate = getOrAdd(interfaces, labels.interface ?? '', () => new Map<string, Recorded>());
      for (const [date, value] of values) getOrAdd(byDate, date, () => ({ ...NOTHING }))[key] = value;
    }
  if (namespaces.size > 1)
    throw new InputError(
      `it has several banks: choose one by --namespace ${[...namespaces].sort().join(' | ')}`,
    );
  if (interfaces.size === 0)
    throw new Error(
      'nothing is recorded of these days: Prometheus must have read the rules of charts/kontoport/files/rules',
    );
  return [...interfaces].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function getOrAdd<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Each day, and the quarter. */
function rowsOf(
  name: string,
  { byDate, days, quarter }: { byDate: ReadonlyMap<string, Recorded>; days: readonly Day[]; quarter: string },
): Row[] {
  const row = (period: string, figures: Figures): Row => ({ interface: name, period, ...figures });
  const daily = days.map(({ date }) => byDate.get(date) ?? NOTHING);
  return [
    ...days.map(({ date }, at) => row(date, figuresOf(daily[at]!, 1))),
    row(quarter, figuresOf(sumOf(daily), days.length)),
  ];
}
