import { Connector, type TlsIdentity } from './connector.ts';
import { type AgentLimits, HttpAgent } from './http-agent.ts';

export interface TrustedAgentOptions extends AgentLimits {
  tls?: TlsIdentity | undefined;
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  connectTimeout?: number | undefined;
}

/** An agent for addresses that whoever runs us chose: they may lie anywhere, and names are looked up as the machine does. */
export function createTrustedAgent({ tls, connectTimeout, ...limits }: TrustedAgentOptions): HttpAgent {
  return new HttpAgent(new Connector({ tls, limitMs: connectTimeout }), limits);
}
