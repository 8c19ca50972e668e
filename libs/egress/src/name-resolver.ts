import { type LookupAddress, NODATA, NOTFOUND, promises } from 'node:dns';

/** Options of DNS look-ups; durations are milliseconds. */
export interface NameResolverOptions {
  /** `address:port` of name servers; default: the machine's. */
  nameServers?: readonly string[];
  /** Milliseconds for one look-up; default 2,000. */
  limitMs?: number;
  /** Milliseconds for which a name that could not be found is not looked up again; default 5,000. */
  rememberMs?: number;
  /** Number of such names that are remembered, the oldest go first; default 10,000. */
  mostFailed?: number;
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up at the name servers directly. The system's resolver blocks one of four threads for each look-up, so a few names with
 * a silent server would delay all others. Concurrent look-ups of a name share one request. Each has a time limit, and a name that
 * failed is not looked up again for some seconds. `localhost` and names that end in it are this machine (RFC 6761 §6.3). The hosts
 * file is not read.
 */
export class NameResolver {
  readonly #nameServers: readonly string[] | undefined;
  readonly #limitMs: number;
  readonly #rememberMs: number;
  readonly #mostFailed: number;
  readonly #pending = new Map<string, Promise<readonly LookupAddress[]>>();
  readonly #failed = new Map<string, { error: Error; until: number }>();

  constructor(options: NameResolverOptions = {}) {
    const { nameServers, limitMs = 2_000, rememberMs = 5_000, mostFailed = 10_000 } = options;
    this.#nameServers = nameServers;
    this.#limitMs = limitMs;
    this.#rememberMs = rememberMs;
    this.#mostFailed = mostFailed;
  }

  /** All addresses of a name. @throws Error of the look-up, with the resolver's `code` */
  async addresses(name: string): Promise<readonly LookupAddress[]> {
    const plain = plainName(name);
    if (plain === 'localhost' || plain.endsWith('.localhost')) return LOOPBACK;
    const failed = this.#failed.get(plain);
    if (failed !== undefined && failed.until > performance.now()) throw failed.error;
    return this.#pending.get(plain) ?? this.#ask(plain);
  }

  #ask(name: string): Promise<readonly LookupAddress[]> {
    const addresses = this.#answer(name);
    this.#pending.set(name, addresses);
    const note = (error?: Error): void => {
      this.#pending.delete(name);
      this.#failed.delete(name);
      if (error !== undefined) this.#remember(name, error);
    };
    addresses.then(() => note(), note);
    return addresses;
  }

  async #answer(name: string): Promise<readonly LookupAddress[]> {
    // A lost packet is sent once more, with twice the timeout.
    const resolver = new promises.Resolver({ timeout: Math.ceil(this.#limitMs / 3), tries: 2 });
    if (this.#nameServers !== undefined) resolver.setServers(this.#nameServers);
    // Each further server has its own timeouts; this limit covers all of them.
    const limit = setTimeout(() => resolver.cancel(), this.#limitMs);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(limit);
    const addresses = found.flatMap((answer, at): LookupAddress[] =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
        : [],
    );
    if (addresses.length > 0) return addresses;
    const errors = found.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    // The failure of one look-up is more precise than the absence of the other kind of address. An answer may also be valid and
    // hold no address, such as an alias of a name that has none.
    throw errors.find((fault) => !isAbsence(fault)) ?? errors[0] ?? noAddress(name);
  }

  #remember(name: string, error: Error): void {
    this.#failed.set(name, { error, until: performance.now() + this.#rememberMs });
    if (this.#failed.size > this.#mostFailed) this.#failed.delete(this.#failed.keys().next().value!);
  }
}

/** The name in lower case, without the dot of the root. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function noAddress(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: NODATA });
}

function isAbsence(error: Error): boolean {
  return 'code' in error && (error.code === NODATA || error.code === NOTFOUND);
}
