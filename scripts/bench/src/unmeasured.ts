// Preloaded by a service: its histograms and counters count nothing, to see what they cost.
import { registerHooks } from 'node:module';

/** What is left out of libs/runtime/src/metrics.ts. */
const WORK: readonly [text: string, without: string][] = [
  ['=> add(series.of(labels), milliseconds);', '=> void [milliseconds, labels];'],
  ['since: (started) => add(durations, performance.now() - started)', 'since: () => {}'],
  ['add: (change, labels) => void (series.of(labels).value += change)', 'add: () => {}'],
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/libs/runtime/src/metrics.ts')) return loaded;
    let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    for (const [text, without] of WORK) {
      if (!source.includes(text)) throw new Error(`${url} has no "${text}"`);
      source = source.replace(text, without);
    }
    return { ...loaded, source };
  },
});
