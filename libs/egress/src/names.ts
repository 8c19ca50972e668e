import { type LookupAddress, NODATA, NOTFOUND, promises } from 'node:dns';

/** How names are looked up; durations are milliseconds. */
export interface NamesOptions {
  /** `address:port` of name servers; default: the machine's. */
  nameServers?: readonly string[];
  /** For one look-up; default 2,000. */
  limitMs?: number;
  /** How long a name that could not be found is not looked up again; default 5,000. */
  rememberMs?: number;
  /** How many such names are remembered, the oldest go first; default 10,000. */
  mostFailed?: number;
}

/** A look-up under way. */
interface Question {
  addresses: Promise<readonly LookupAddress[]>;
  cancel(): void;
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up at the name servers themselves, and not through the system's resolver: that one waits in the threads
 * of the process, four of them, so that a few names with a silent server would hold up everybody's. A name is asked
 * for once at a time, with a time limit, and not again for some seconds when it failed; what nobody waits for any more can be
 * given up. `localhost` and what ends in it
 * is this machine (RFC 6761 §6.3); the file of hosts plays no part.
 */
export class Names {
  readonly #nameServers: readonly string[] | undefined;
  readonly #limitMs: number;
  readonly #rememberMs: number;
  readonly #mostFailed: number;
  readonly #asked = new Map<string, Question>();
  readonly #failed = new Map<string, { error: Error; until: number }>();

  constructor(options: NamesOptions = {}) {
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
    return (this.#asked.get(plain) ?? this.#ask(plain)).addresses;
  }

  /** Gives up the look-up of a name, for which nobody waits any more; it fails, and the next one asks anew. */
  cancel(name: string): void {
    const plain = plainName(name);
    const asked = this.#asked.get(plain);
    this.#asked.delete(plain);
    asked?.cancel();
  }

  #ask(name: string): Question {
    // A lost packet is asked again once, and waited for twice as long.
    const resolver = new promises.Resolver({ timeout: Math.ceil(this.#limitMs / 3), tries: 2 });
    if (this.#nameServers !== undefined) resolver.setServers(this.#nameServers);
    const asked: Question = { addresses: this.#answer(name, resolver), cancel: () => resolver.cancel() };
    this.#asked.set(name, asked);
    const note = (error?: Error): void => {
      // One that was given up says nothing of the name.
      if (this.#asked.get(name) !== asked) return;
      this.#asked.delete(name);
      this.#failed.delete(name);
      if (error !== undefined) this.#remember(name, error);
    };
    asked.addresses.then(() => note(), note);
    return asked;
  }

  async #answer(name: string, resolver: promises.Resolver): Promise<readonly LookupAddress[]> {
    // Each further server has times of its own: ours is for all of them.
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
    // That there is no address of one kind says less than why the other could not be had; an answer may also be right
    // and hold no address, such as an alias of a name that has none.
    throw errors.find((fault) => !isAbsence(fault)) ?? errors[0] ?? noAddress(name);
  }

  #remember(name: string, error: Error): void {
    this.#failed.set(name, { error, until: performance.now() + this.#rememberMs });
    if (this.#failed.size > this.#mostFailed) this.#failed.delete(this.#failed.keys().next().value!);
  }
}

/** A name as it is looked up: in lower case, without the dot of the root. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function noAddress(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: NODATA });
}

function isAbsence(error: Error): boolean {
  return 'code' in error && (error.code === NODATA || error.code === NOTFOUND);
}
