import { AllowedNames } from './allowed-names.ts';
import { Connector } from './connector.ts';
import { type AgentLimits, HttpAgent } from './http-agent.ts';
import { Names, type NamesOptions } from './names.ts';
import { type ForwardProxy, Tunnels } from './proxy-tunnel.ts';
import type { EgressRule } from './public-address.ts';

export interface GuardedAgentOptions extends EgressRule, AgentLimits {
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  connectTimeout?: number | undefined;
  /** How names are looked up. */
  names?: NamesOptions;
  /** Through which all connections go. */
  proxy?: ForwardProxy | undefined;
}

/**
 * An agent for addresses that others chose. A connection is made only to an address that `isAllowedAddress` takes. There is no proxy but
 * the one that it is given, which is told that address and no name, so it has nothing to resolve (ADR 71).
 */
export class GuardedAgent extends HttpAgent {
  /** Tells it from an agent that is not guarded. */
  readonly isGuarded = true;

  constructor(options: GuardedAgentOptions) {
    const { connectTimeout: limitMs, names, proxy } = options;
    const guard = {
      names: new AllowedNames(new Names(names), options),
      tunnels: proxy && new Tunnels(proxy),
    };
    super(new Connector({ guard, limitMs }), options);
  }
}

/** An agent that goes through the guard. */
export const createGuardedAgent = (options: GuardedAgentOptions): GuardedAgent => new GuardedAgent(options);
