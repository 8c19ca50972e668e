import { trace } from '@opentelemetry/api';
import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * The JSON logger of a process: one line per outcome on standard output, with the trace id of the active span.
 * Log chosen fields only; never a token, key, account number, name, address or body.
 */
export function createLogger({ service, level = 'info' }: { service: string; level?: string }): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const span = trace.getActiveSpan()?.spanContext();
        return span ? { traceId: span.traceId, spanId: span.spanId } : {};
      },
    },
    // Synchronous: the last words of a process that ends are those that matter.
    pino.destination({ dest: 1, sync: true }),
  );
}

/** What may be logged of an unknown failure. */
export interface ErrorDescription {
  name: string;
  /** Absent where the message may quote the data that it failed on. */
  message?: string;
  /** Of the system, of PostgreSQL (SQLSTATE) or of Prisma. */
  code?: string;
  /** The call sites, one a line. */
  at?: string;
}

/** Errors whose messages quote input: of Prisma, of JSON.parse, of zod, of PostgreSQL (whose name is just "error"). */
const QUOTES_DATA = /^(Prisma\w*|SyntaxError|ZodError|error)$/;

/** The kind of a failure and its place, never the data that it failed on. */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { name: 'NonError', message: typeof error };
  const { name, message, stack } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const at = stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join('\n');
  return {
    name,
    ...(QUOTES_DATA.test(name) ? {} : { message }),
    ...(code === undefined ? {} : { code }),
    ...(at ? { at } : {}),
  };
}
