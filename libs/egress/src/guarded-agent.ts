import { AllowedNames } from './allowed-names.ts';
import { guardedConnect } from './guarded-connect.ts';
import {
  type AgentLimits,
  CONNECT_TIMEOUT_MS,
  type ConnectOptions,
  createHttpAgent,
  type HttpAgent,
} from './http-agent.ts';
import { Names, type NamesOptions } from './names.ts';
import { type ForwardProxy, Tunnels } from './proxy-tunnel.ts';
import type { EgressRule } from './public-address.ts';

export interface GuardedAgentOptions extends EgressRule, AgentLimits, ConnectOptions {
  /** How names are looked up. */
  names?: NamesOptions;
  /** All connections go through it. */
  proxy?: ForwardProxy | undefined;
}

/** An agent that connects to allowed addresses alone. */
export interface GuardedAgent extends HttpAgent {
  /** Tells it from an agent that is not guarded. */
  readonly isGuarded: true;
}

/**
 * Makes an agent for addresses that others chose. It connects only to an address that `isAllowedAddress` allows. It uses no proxy but
 * the given one, which gets that address and no name, so it resolves nothing (ADR 71).
 */
export function createGuardedAgent(options: GuardedAgentOptions): GuardedAgent {
  const { connectTimeout = CONNECT_TIMEOUT_MS, names, proxy } = options;
  const agent = createHttpAgent(
    (signal) =>
      guardedConnect({
        names: new AllowedNames(new Names(names), options),
        tunnels: proxy && new Tunnels(proxy, { limitMs: connectTimeout, signal }),
        connectTimeout,
        signal,
      }),
    options,
  );
  return { ...agent, isGuarded: true };
}
