/** More than the requests between two heartbeats, including one for each part of a whole directory. */
const MAX_SENT = 1_024;

/**
 * The lease under which a replica decides from its copy. It lasts `leaseMs` from the sending of the request whose nonce
 * the directory echoed. Counting from the sending keeps its end before the directory's, even if messages wait in a
 * buffer.
 */
export class Lease {
  #nonce = 0n;
  #sent: { nonce: bigint; at: number }[] = [];
  #until = Number.NEGATIVE_INFINITY;
  #asOf: number;

  /** @param since the beginning of the wait, monotonic milliseconds */
  constructor(since: number) {
    this.#asOf = since;
  }

  /** Returns the nonce of the next request, sent at `now` (monotonic milliseconds). */
  next(now: number): bigint {
    this.#nonce += 1n;
    this.#sent.push({ nonce: this.#nonce, at: now });
    // A directory that stays silent must not make this list grow without end; the oldest can only grant less.
    if (this.#sent.length > MAX_SENT) this.#sent.shift();
    return this.#nonce;
  }

  /** Renews the lease by an echoed nonce. @returns whether the nonce was not echoed before */
  renew(nonce: bigint, leaseMs: number): boolean {
    const echoed = this.#sent.findLast((request) => request.nonce <= nonce);
    if (!echoed || echoed.nonce !== nonce) return false;
    this.#until = Math.max(this.#until, echoed.at + leaseMs);
    this.#asOf = Math.max(this.#asOf, echoed.at);
    this.#sent = this.#sent.filter((request) => request.nonce > nonce);
    return true;
  }

  /** Ends the lease; no earlier request can renew it. */
  end(): void {
    this.#until = Number.NEGATIVE_INFINITY;
    this.#sent = [];
  }

  holds(now: number): boolean {
    return now < this.#until;
  }

  /** Milliseconds since the sending of the last request that renewed it. */
  age(now: number): number {
    return now - this.#asOf;
  }
}
