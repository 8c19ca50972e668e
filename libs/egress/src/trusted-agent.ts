import type { SecureContext } from 'node:tls';
import { Connector } from './connector.ts';
import { type AgentLimits, HttpAgent } from './http-agent.ts';

export interface TrustedAgentOptions extends AgentLimits {
  /** Asked at each connection, and may be another each time; absent: whom Node trusts, and nothing that proves us. */
  secureContext?: SecureContext | undefined;
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  connectTimeout?: number | undefined;
}

/** An agent for addresses that whoever runs us chose: they may lie anywhere, and names are looked up as the machine does. */
export function createTrustedAgent({
  secureContext,
  connectTimeout,
  ...limits
}: TrustedAgentOptions): HttpAgent {
  return new HttpAgent(new Connector({ secureContext, limitMs: connectTimeout }), limits);
}
