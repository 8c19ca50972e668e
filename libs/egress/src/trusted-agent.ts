import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import {
  type AgentLimits,
  CONNECT_TIMEOUT_MS,
  type ConnectOptions,
  CONNECTOR_OPTIONS,
  createHttpAgent,
  type HttpAgent,
} from './http-agent.ts';

export interface TrustedAgentOptions extends AgentLimits, ConnectOptions {
  /** Its `context` is read for each connection. Absent: the issuers that Node trusts, and no certificate of ours. */
  secureContext?: SecureContext | undefined;
}

/** Makes an agent for addresses that the operator chose. They may lie anywhere, and the system resolves their names. */
export function createTrustedAgent(options: TrustedAgentOptions): HttpAgent {
  const { connectTimeout: timeout = CONNECT_TIMEOUT_MS, secureContext } = options;
  return createHttpAgent(
    (signal) =>
      buildConnector({
        ...CONNECTOR_OPTIONS,
        timeout,
        signal,
        ...(secureContext && { secureContext }),
      }),
    options,
  );
}
