import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type SentSpan, startCollector } from './collector.ts';

/** Runs a file with the SDK until it ends. @returns the spans that it exported, and everything as it was sent */
export async function runTraced(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ spans: SentSpan[]; sent: string }> {
  const collector = await startCollector();
  try {
    await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', '@kontoport/telemetry/otel', file],
      {
        cwd: dirname(file),
        env: {
          PATH: process.env.PATH,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
          ...env,
        },
      },
    );
    return {
      spans: collector.spans(),
      sent: collector.received.map(({ body }) => body.toString()).join('\n'),
    };
  } finally {
    await collector.close();
  }
}
