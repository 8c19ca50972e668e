/**
 * What tells the series of a metric apart. Names are those of OpenTelemetry's semantic conventions where they have one;
 * values come from closed lists, never from a caller: no client, subscription, URL, id or name.
 */
export type Labels = Readonly<Record<string, string | number>>;

/** More than any closed list of values makes; what comes beyond is one series, which the convention names. */
const MOST = 2_000;
const BEYOND = labelsText({ 'otel.metric.overflow': 'true' });

/** The series of one metric, by their labels. */
export class SeriesByLabels<T> {
  readonly #create: () => T;
  /** By the labels as they stand in the text. */
  readonly #series = new Map<string, T>();
  /** The same by the labels as a caller writes them: what is made at each request need not be sorted at each. */
  readonly #known = new Map<string, T>();

  constructor(create: () => T) {
    this.#create = create;
  }

  of(labels: Labels | undefined): T {
    const written = labels === undefined ? '' : JSON.stringify(labels);
    return this.#known.get(written) ?? this.#add(written, labels);
  }

  /** With their labels as they stand in the text: `a="b",c="d"`, or nothing. */
  entries(): Iterable<[labels: string, series: T]> {
    return this.#series.entries();
  }

  #add(written: string, labels: Labels | undefined): T {
    const text = labelsText(labels);
    const isBeyond = !this.#series.has(text) && this.#series.size >= MOST;
    const place = isBeyond ? BEYOND : text;
    const series = this.#series.get(place) ?? this.#create();
    this.#series.set(place, series);
    if (!isBeyond) this.#known.set(written, series);
    return series;
  }
}

/** `http.route` → `http_route`. */
export function nameText(name: string): string {
  return name.replaceAll(/\W/g, '_');
}

/** As they stand between the braces of a sample, whichever order they were written in. */
export function labelsText(labels: Labels = {}): string {
  return Object.entries(labels)
    .map(([name, value]) => `${nameText(name)}="${valueText(String(value))}"`)
    .toSorted()
    .join(',');
}

/** One line of the text. */
export function sampleText(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

/** What stands above the samples of a metric. */
export function headText(metric: { name: string; type: string; help: string }): string {
  const { name, type, help } = metric;
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

function valueText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
