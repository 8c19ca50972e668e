import { types } from 'node:util';

/**
 * SQLSTATEs that a later attempt may cure: connection lost, login refused (a password is being rotated), shutdown or
 * start, out of resources, timeout, deadlock.
 */
const LATER_SQLSTATE = /^(08...|28...|53...|57P0[1-5]|57014|25P0[34]|40001|40P01|55P03)$/;

/** Faults of sockets and name resolution. */
const LATER_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
]);

/** Codes of Node for a TLS peer that cannot be verified. */
const LATER_TLS =
  /^(ERR_TLS_\w+|ERR_SSL_\w+|EPROTO|CERT_\w+|CRL_\w+|UNABLE_TO_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|HOSTNAME_MISMATCH)$/;

/** Prisma's codes of the same faults. */
const LATER_PRISMA = new Set([
  'P1000',
  'P1010',
  'P1011',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
]);

/** The driver reports these without a code. */
const LATER_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|The server does not support SSL connections|There was an error establishing an SSL connection|Client has encountered a connection error|Cannot use a pool after calling end)/;

/** The Prisma adapter's form of a driver's error, which is no Error. */
interface AdapterCause {
  originalCode?: unknown;
  kind?: unknown;
}

const LATER_ADAPTER: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
]);

function isLater(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  return (
    LATER_SQLSTATE.test(code) || LATER_TLS.test(code) || LATER_SYSTEM.has(code) || LATER_PRISMA.has(code)
  );
}

/**
 * Whether a thrown value means that a dependency cannot answer now (UNAVAILABLE), rather than that the call was wrong.
 * Recognizes errors of the system, the pg driver and Prisma, including causes.
 */
export function isUnavailable(error: unknown): boolean {
  // Not instanceof: errors of Node's own modules belong to another realm inside a test runner.
  if (!types.isNativeError(error)) return false;
  const { code, errorCode, meta, cause } = error as {
    code?: unknown;
    /** Prisma's name of it when no client could be opened. */
    errorCode?: unknown;
    meta?: { driverAdapterError?: { cause?: AdapterCause } | null };
    cause?: AdapterCause | null;
  };
  // Prisma keeps the SQLSTATE of errors without a name of its own here, such as a server shutdown.
  const adapted = meta?.driverAdapterError?.cause ?? cause;
  if (
    isLater(code) ||
    isLater(errorCode) ||
    isLater(adapted?.originalCode) ||
    LATER_ADAPTER.has(adapted?.kind)
  )
    return true;
  if (LATER_MESSAGE.test(error.message)) return true;
  return isUnavailable(error.cause);
}
