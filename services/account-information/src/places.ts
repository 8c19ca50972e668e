import { ApiError, type Text } from '@kontoport/errors';
import { KeyedCounter } from '@kontoport/fairness';

/** Places for work that holds something dear while it lasts. One organization, whose clients can be many, has a share. */
export class Places {
  readonly #most: number;
  readonly #share: number;
  readonly #busy: Text;
  readonly #taken = new KeyedCounter();
  #inAll = 0;

  /**
   * @param options.share how many of the `most` one organization takes
   * @param options.busy what is said when there is none
   */
  constructor(options: { most: number; share: number; busy: Text }) {
    this.#most = options.most;
    this.#share = options.share;
    this.#busy = options.busy;
  }

  /**
   * Takes a place of the organization.
   * @returns gives it back; called once
   * @throws ApiError UNAVAILABLE at once when there is none
   */
  take(organizationIdentifier: string): () => void {
    if (this.#inAll >= this.#most || this.#taken.of(organizationIdentifier) >= this.#share)
      throw new ApiError('UNAVAILABLE', this.#busy);
    this.#count(organizationIdentifier, 1);
    return () => this.#count(organizationIdentifier, -1);
  }

  /** Does the work in a place of the organization. @throws ApiError UNAVAILABLE at once when there is none */
  async within<T>(organizationIdentifier: string, work: () => Promise<T>): Promise<T> {
    const giveBack = this.take(organizationIdentifier);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  #count(organizationIdentifier: string, change: 1 | -1): void {
    this.#inAll += change;
    this.#taken.add(organizationIdentifier, change);
  }
}
