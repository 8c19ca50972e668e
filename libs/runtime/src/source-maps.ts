// Loaded before a bundle, and in it: stack traces name the sources. Node's own support reads each map when it loads the file,
// which costs as much as a bundle saves; this one reads a map with the first stack trace that somebody wants to see.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bundles have their maps beside them; other files have none of ours. */
const FOLDER = import.meta.dirname + sep;
const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (maps.has(file)) return maps.get(file);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    // Without its map a place is that of the bundle.
  }
  maps.set(file, map);
  return map;
}

/** The frame as V8 tells it, with the place of the source. */
function told(frame: NodeJS.CallSite & { toString(): string }): string {
  const text = frame.toString();
  const [url, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!url?.startsWith('file:') || line === null || column === null) return text;
  const file = fileURLToPath(url);
  if (!file.startsWith(FOLDER)) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  // What has no mapping on its own line is of a package.
  if (!entry || !('originalSource' in entry) || !entry.originalSource || entry.generatedLine !== line - 1)
    return text;
  const place = `${join(FOLDER, entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return text.replace(`${url}:${line}:${column}`, () => place);
}

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${told(frame)}`)].join('\n');
