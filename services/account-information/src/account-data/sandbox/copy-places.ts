import { ApiError } from '@kontoport/errors';
import { Tally } from '@kontoport/runtime';
import { TEXTS } from '../../texts.ts';

/**
 * The places for copies that are being made: each copy holds a connection of the database, and those who only read
 * need connections, too. One organization, whose clients can be many, takes at most half of them.
 */
export class CopyPlaces {
  readonly #most: number;
  readonly #taken = new Tally();
  #inAll = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does the work in a place of the organization. @throws ApiError UNAVAILABLE at once when there is none */
  async within<T>(organizationIdentifier: string, work: () => Promise<T>): Promise<T> {
    const own = this.#taken.of(organizationIdentifier);
    if (this.#inAll >= this.#most || own >= Math.ceil(this.#most / 2))
      throw new ApiError('UNAVAILABLE', TEXTS('copies-busy'));
    this.#count(organizationIdentifier, 1);
    try {
      return await work();
    } finally {
      this.#count(organizationIdentifier, -1);
    }
  }

  #count(organizationIdentifier: string, change: 1 | -1): void {
    this.#inAll += change;
    this.#taken.add(organizationIdentifier, change);
  }
}
