import { status } from '@grpc/grpc-js';
import { crossFieldCheck, flag, type RawEnv } from '@kontoport/config';
import { ApiError, toApiError } from '@kontoport/errors';
import { isLoopback, reloadableContext, reloadableTls, tlsFaults } from '@kontoport/internal-tls';
import type { Lifecycle, Logger } from '@kontoport/lifecycle';
import { z } from 'zod';
import { call } from './call.ts';
import { type ClientConstructor, createClient, hostOf } from './client.ts';
import { GRPC_TEXTS } from './texts.ts';

/** Variables for the bank's connector (package kontoport.bank.v1), which production requires. */
export const bankConfig = {
  /** `host:port` of the bank's connector (`kontoport.bank.v1`); required in production. */
  BANK_GRPC: crossFieldCheck(
    z
      .string()
      .regex(/^[^\s/]+:\d{1,5}$/, 'host:port')
      .optional(),
    bankFaults,
  ),
  /** PEM file of certification authorities, or `system`. Enables TLS and verifies the bank's name. */
  BANK_TLS_CA: z.string().optional(),
  /** PEM file of a client certificate. */
  BANK_TLS_CERT: z.string().optional(),
  /** PEM file of the client certificate's key. */
  BANK_TLS_KEY: z.string().optional(),
  /** `true` allows a connection without TLS to another machine, where the network itself encrypts. */
  BANK_PLAINTEXT: flag.prefault('false'),
};

export type BankConfig = z.output<z.ZodObject<typeof bankConfig>>;

function bankFaults(given: RawEnv): readonly string[] {
  const { ENVIRONMENT, BANK_GRPC, BANK_TLS_CA, BANK_PLAINTEXT } = given;
  const faults = tlsFaults('BANK', given);
  if (ENVIRONMENT !== 'production') return faults;
  if (BANK_GRPC === undefined) return [...faults, 'BANK_GRPC: missing; in production the bank is asked'];
  const isSafe = BANK_TLS_CA !== undefined || isLoopback(hostOf(BANK_GRPC)) || BANK_PLAINTEXT === 'true';
  return isSafe
    ? faults
    : [...faults, 'BANK_TLS_CA: missing; in production a bank on another machine is reached by TLS only'];
}

/** Opens a client of one of the bank's services; the process owns it. */
export type ConnectBank = <Client extends { close(): void }>(
  constructor: ClientConstructor<Client>,
) => Client;

/** Opens connections to the bank by the variables. Each connection reads the TLS files again. */
export function bankConnection({
  config,
  lifecycle,
  logger,
}: {
  config: BankConfig;
  lifecycle: Lifecycle;
  logger: Logger;
}): ConnectBank {
  const { BANK_GRPC: address, BANK_TLS_CA, BANK_TLS_CERT, BANK_TLS_KEY } = config;
  const report = (fault: string): void =>
    logger.error({ fault }, 'certificates for the bank not reloaded, the previous ones stay in use');
  const tls = reloadableTls('BANK', { BANK_TLS_CA, BANK_TLS_CERT, BANK_TLS_KEY });
  const context = tls && reloadableContext(() => tls(report));
  return (constructor) => {
    if (address === undefined) throw new Error('BANK_GRPC is not given');
    const client = createClient(constructor, address, context);
    lifecycle.own('bank client', { close: async () => client.close() });
    return client;
  };
}

/** Milliseconds for an answer of the bank. */
const BANK_DEADLINE_MS = 5_000;

/**
 * Calls the bank. Its errors have the same effect as its silence.
 * @throws ApiError UNAVAILABLE; `isUnknownToBank` recognizes a NOT_FOUND
 */
export async function askBank<Request, Response>(
  client: object,
  method: Parameters<typeof call<Request, Response>>[1],
  request: Request,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Response> {
  try {
    return await call(client, method, request, { deadlineMs: BANK_DEADLINE_MS, ...(signal && { signal }) });
  } catch (error) {
    const { cause } = toApiError(error);
    throw new ApiError('UNAVAILABLE', GRPC_TEXTS('bank-away'), { cause: cause ?? error });
  }
}

/** Whether the bank answered NOT_FOUND. */
export function isUnknownToBank(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === status.NOT_FOUND;
}
