/** More reports than are sent between two heartbeats, one for each part of a whole directory among them. */
const MAX_SENT = 1_024;

/**
 * When a replica may decide from its memory: for `leaseMs` after the moment at which it sent the request whose
 * nonce the directory echoed. Counting from the sending, not from the answer, keeps the replica's end of the
 * lease before the directory's, however long messages lie in a buffer.
 */
export class Lease {
  #nonce = 0n;
  #sent: { nonce: bigint; at: number }[] = [];
  #until = Number.NEGATIVE_INFINITY;
  #asOf: number;

  /** @param since from when on nothing has been heard (monotonic milliseconds) */
  constructor(since: number) {
    this.#asOf = since;
  }

  /** The nonce of the next request, sent at `now` (monotonic milliseconds). */
  next(now: number): bigint {
    this.#nonce += 1n;
    this.#sent.push({ nonce: this.#nonce, at: now });
    // A directory that stays silent must not make this list grow without end; the oldest can only grant less.
    if (this.#sent.length > MAX_SENT) this.#sent.shift();
    return this.#nonce;
  }

  /** Takes the echo of a nonce for what it is worth. @returns whether it was one that has not been echoed yet */
  renew(nonce: bigint, leaseMs: number): boolean {
    const echoed = this.#sent.findLast((request) => request.nonce <= nonce);
    if (!echoed || echoed.nonce !== nonce) return false;
    this.#until = Math.max(this.#until, echoed.at + leaseMs);
    this.#asOf = Math.max(this.#asOf, echoed.at);
    this.#sent = this.#sent.filter((request) => request.nonce > nonce);
    return true;
  }

  /** Ends it; nothing that was sent before can renew it. */
  end(): void {
    this.#until = Number.NEGATIVE_INFINITY;
    this.#sent = [];
  }

  holds(now: number): boolean {
    return now < this.#until;
  }

  /** For how long nothing has renewed it, milliseconds. */
  age(now: number): number {
    return now - this.#asOf;
  }
}
