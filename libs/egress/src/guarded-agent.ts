import { Connector } from './connector.ts';
import { type BoundedExchange, Exchange, type Outcome } from './exchange.ts';
import { ConnectionLost } from './faults.ts';
import { Names, type NamesOptions } from './names.ts';
import { Origin } from './origin.ts';
import { type ForwardProxy, Tunnels } from './proxy-tunnel.ts';
import type { EgressRule } from './public-address.ts';

export interface GuardedAgentOptions extends EgressRule {
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  connectTimeout?: number;
  /** Connections to one origin; default unlimited. */
  connections?: number;
  /** Bytes of one answer, headers and whatever frames its body included, beyond which the connection is ended; default unlimited. */
  answerBytes?: number;
  /** How names are looked up. */
  names?: NamesOptions;
  /** Through which all connections go. */
  proxy?: ForwardProxy | undefined;
}

/** So often it is looked for connections that have not been used for too long. */
const SWEEP_MS = 1_000;

/**
 * An HTTP client for addresses that others chose: HTTP/1.1 over kept connections, no redirects, and no proxy but the one
 * that it is given (ADR 118). A connection is made only to an address that `isAllowedAddress` takes. The proxy is told that
 * address and no name, so it has nothing to resolve (ADR 71).
 */
export class GuardedAgent {
  readonly #options: GuardedAgentOptions;
  readonly #names: Names;
  readonly #connector: Connector;
  readonly #origins = new Map<string, Origin>();
  #due = new Set<Origin>();
  #sweeping: NodeJS.Timeout | undefined;
  #isDestroyed = false;

  constructor(options: GuardedAgentOptions) {
    const { connectTimeout: limitMs = 10_000, names, proxy } = options;
    this.#options = options;
    this.#names = new Names(names);
    this.#connector = new Connector({
      rule: options,
      names: this.#names,
      tunnels: proxy && new Tunnels(proxy),
      limitMs,
    });
  }

  /** Makes one request. Never rejects. */
  exchange(request: BoundedExchange): Promise<Outcome> {
    return new Promise((settle) => {
      try {
        if (this.#isDestroyed) throw new ConnectionLost('the agent has ended');
        const origin = this.#origins.get(request.origin) ?? this.#begin(request.origin);
        origin.add(new Exchange(request, { host: origin.host, settle }));
      } catch (fault) {
        settle({ answer: undefined, fault: fault as Error });
      }
    });
  }

  /** Ends all connections, and what is under way. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    clearInterval(this.#sweeping);
    this.#connector.destroy();
    for (const origin of this.#origins.values()) origin.destroy();
    await new Promise(setImmediate);
  }

  #begin(url: string): Origin {
    const { connections = Infinity, answerBytes = Infinity } = this.#options;
    const origin: Origin = new Origin(new URL(url), {
      connector: this.#connector,
      connections,
      answerBytes,
      onDue: () => this.#note(origin),
      onGivenUp: () => this.#giveUp(origin),
    });
    this.#origins.set(url, origin);
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    this.#note(origin);
    return origin;
  }

  #note(origin: Origin): void {
    if (this.#due.size === 0) setImmediate(() => this.#turn());
    this.#due.add(origin);
  }

  #turn(): void {
    const due = this.#due;
    this.#due = new Set();
    const now = performance.now();
    for (const origin of due) {
      origin.turn(now);
      if (origin.isEmpty) this.#origins.delete(origin.url);
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const origin of this.#origins.values()) origin.sweep(now);
  }

  /** A look-up that no exchange waits for any more ends. */
  #giveUp({ name }: Origin): void {
    for (const other of this.#origins.values()) if (other.name === name && other.isWaitedFor) return;
    this.#names.cancel(name);
  }
}

/** An agent that goes through the guard. */
export const createGuardedAgent = (options: GuardedAgentOptions): GuardedAgent => new GuardedAgent(options);
