import { activeSpanContext } from '@kontoport/telemetry';
import { type Logger, pino } from 'pino';
import { type LogDestination, openLogDestination } from './log-destination.ts';

export type { Logger } from 'pino';

/** Shared by all loggers of the process, so that lines keep their order. Opened with the first line. */
let destination: LogDestination | undefined;

const stdout = (): LogDestination =>
  (destination ??= openLogDestination(
    (dropped) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), dropped, msg: 'log lines dropped' })}\n`,
  ));

/** Waits until the log is written, at most `limitMs`. Call it last, before the process exits. */
export async function flushLogs(limitMs = 1_000): Promise<void> {
  await destination?.close(limitMs);
}

/**
 * Creates the JSON logger of a process: one line per outcome on standard output, with the trace id of the active span.
 * Logging never waits and never throws: a stalled reader or a full disk loses lines, and the service goes on.
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
        const span = activeSpanContext();
        return span ? { traceId: span.traceId, spanId: span.spanId } : {};
      },
    },
    { write: (line: string) => stdout().write(line) },
  );
}

/** The parts of an unknown failure that may be logged. */
export interface ErrorDescription {
  name: string;
  /** Absent where the message may quote the data that it failed on. */
  message?: string;
  /** Code of the system, of PostgreSQL (SQLSTATE) or of Prisma. */
  code?: string;
  /** The call sites, one a line. */
  at?: string;
}

/** Errors whose messages quote input: of Prisma, JSON.parse, zod and PostgreSQL (whose name is just "error"). */
const QUOTES_DATA = /^(Prisma\w*|SyntaxError|ZodError|error)$/;

/** Describes the kind of a failure and its place, never the data that it failed on. */
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
