import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EgressFault } from './faults.ts';
import type { NameResolver } from './name-resolver.ts';
import { type EgressRule, isAllowedAddress } from './public-address.ts';

/** Judges addresses, and resolves names to their allowed addresses. */
export class AddressGuard {
  readonly #names: NameResolver;
  readonly #rule: EgressRule;

  constructor(names: NameResolver, rule: EgressRule) {
    this.#names = names;
    this.#rule = rule;
  }

  allows(address: string): boolean {
    return isAllowedAddress(address, this.#rule);
  }

  /** Finds the allowed addresses of a name. @throws EgressFault: `dns`; `address` when none of its addresses is allowed */
  async find(hostname: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
    const addresses = await this.#names.addresses(hostname).catch((cause: unknown) => {
      throw new EgressFault('dns', 'the name is not resolved', { cause });
    });
    const [first, ...rest] = addresses.filter(({ address }) => this.allows(address));
    if (first === undefined) throw new EgressFault('address', 'the name resolves to no public address');
    return [first, ...rest];
  }

  readonly lookup: LookupFunction = (hostname, options: LookupOptions, callback) => {
    this.find(hostname).then(
      (allowed) => {
        if (options.all) callback(null, [...allowed]);
        else callback(null, allowed[0].address, allowed[0].family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
