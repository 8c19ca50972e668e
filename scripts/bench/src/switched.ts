// Preloaded by a service: what is measured and traced is switched while it runs, as the file of SWITCHED_BY says.
import { readFileSync, watch, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';

/** How much is measured and traced from now on. */
export interface Switches {
  /** Whether histograms and counters count. */
  measures: boolean;
  /** Of the traces. */
  share: number;
}

const { SWITCHED_BY: file } = process.env;

/** What is changed in files of libs/runtime. */
const WORK: Readonly<Record<string, readonly [text: string, changed: string][]>> = {
  'metrics.ts': [
    [
      '=> add(series.of(labels), milliseconds);',
      '=> void (bench.measures && add(series.of(labels), milliseconds));',
    ],
    [
      'since: (started) => add(durations, performance.now() - started)',
      'since: (started) => void (bench.measures && add(durations, performance.now() - started))',
    ],
    [
      'add: (change, labels) => void (series.of(labels).value += change)',
      'add: (change, labels) => void (bench.measures && (series.of(labels).value += change))',
    ],
  ],
  'sampling.ts': [['Math.random() < share', 'Math.random() < bench.share']],
};

const bench: Switches = { measures: true, share: 0 };
Object.assign(globalThis, { bench });

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [, name = ''] = /\/libs\/runtime\/src\/([\w-]+\.ts)$/.exec(url) ?? [];
    const changes = WORK[name];
    if (changes === undefined) return loaded;
    let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    for (const [text, changed] of changes) {
      if (!source.includes(text)) throw new Error(`${url} has no "${text}"`);
      source = source.replace(text, () => changed);
    }
    return { ...loaded, source };
  },
});

function take(): void {
  const text = readFileSync(file!, 'utf8');
  // It is being written.
  if (text === '') return;
  Object.assign(bench, JSON.parse(text));
  // So that it is known.
  writeFileSync(`${file}.${process.pid}`, text);
}

watch(dirname(file!), (_event, name) => {
  if (file!.endsWith(`/${name}`)) take();
}).unref();
