import type { Connector } from './connector.ts';
import { type BoundedExchange, Exchange, type Outcome } from './exchange.ts';
import { ConnectionLost } from './faults.ts';
import { Origin } from './origin.ts';

export interface AgentLimits {
  /** Connections to one origin; default unlimited. */
  connections?: number;
  /** Bytes of one answer, headers and whatever frames its body included, beyond which the connection is ended; default unlimited. */
  answerBytes?: number;
}

/** So often it is looked for connections that have not been used for too long. */
const SWEEP_MS = 1_000;

/** An HTTP client: HTTP/1.1 over kept connections, no redirects (ADR 118). */
export class HttpAgent {
  readonly #connector: Connector;
  readonly #limits: AgentLimits;
  readonly #origins = new Map<string, Origin>();
  #due = new Set<Origin>();
  #sweeping: NodeJS.Timeout | undefined;
  #isDestroyed = false;

  constructor(connector: Connector, limits: AgentLimits) {
    this.#connector = connector;
    this.#limits = limits;
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
    const { connections = Infinity, answerBytes = Infinity } = this.#limits;
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
    this.#connector.giveUp(name);
  }
}
