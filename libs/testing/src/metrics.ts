/** A series of a metric. */
export interface Series {
  /** The name of its family, or that with `_bucket`, `_sum` or `_count`. */
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

/** The metrics of a process at one moment. */
export class Metrics {
  readonly families: ReadonlyMap<string, Family>;

  constructor(families: ReadonlyMap<string, Family>) {
    this.families = families;
  }

  /** Adds up the series of a name that have at least these labels; 0 when there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels);
    return [...this.families.values()]
      .flatMap(({ series }) => series)
      .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }
}

/** Reads the metrics of an ops server. @throws Error unless they are Prometheus' text */
export async function readMetrics(opsPort: number): Promise<Metrics> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/plain; version=0.0.4; charset=utf-8')
    throw new Error(`/metrics: ${response.status} ${type}`);
  return parseMetrics(await response.text());
}

function parseMetrics(text: string): Metrics {
  const families = new Map<string, Family>();
  let help = '';
  let series: Series[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const [, key, name = '', words = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (key === 'HELP') help = words;
    else if (key === 'TYPE') families.set(name, { name, type: words, help, series: (series = []) });
    else series.push(parseSeries(line));
  }
  return new Metrics(families);
}

function parseSeries(line: string): Series {
  const [, name, labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const number = Number(value.replace('Inf', 'Infinity'));
  if (name === undefined || (Number.isNaN(number) && value !== 'NaN')) throw new Error(`no series: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label, text]) => [label, JSON.parse(`"${text}"`) as string] as const,
  );
  return { name, labels: Object.fromEntries(pairs), value: number };
}
