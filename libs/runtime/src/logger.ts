import { trace } from '@opentelemetry/api';
import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * The JSON logger of a process: one line per outcome on standard output, with the trace id of the active span.
 * Log chosen fields only; never a token, key, account number, name, address or body.
 */
export function createLogger({ service, level = 'info' }: { service: string; level?: string }): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span ? { traceId: span.traceId, spanId: span.spanId } : {};
    },
  });
}

/** What may be logged of an unknown failure: its kind and its place, never its data. */
export function describeError(error: unknown): { name: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { name: 'NonError', message: typeof error };
  return { name: error.name, message: error.message, ...(error.stack ? { stack: error.stack } : {}) };
}
