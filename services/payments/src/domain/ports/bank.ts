import type { Draft } from '../draft.model.ts';
import type { Posting } from '../payment-types/payment-type.model.ts';

/** A payment for the bank to execute. */
export interface PaymentOrder {
  /** PENDING: with its payment. */
  draft: Draft;
  /** The posting that the draft's payment type makes of its fields. */
  posting: Posting;
}

/** Executes payments, identified by paymentId (§3.2). Every implementation passes `test/bank.conformance.ts`. */
export interface Bank {
  /**
   * Books the payment on the sender account, if the funds suffice, or returns its status: `pending` is submitted again later;
   * `cancelled` is final. Idempotent: no money moves twice.
   * @throws ApiError a final rejection; UNAVAILABLE without an answer: the money may have moved
   */
  submit(order: PaymentOrder): Promise<'booked' | 'pending' | 'cancelled'>;

  /**
   * Cancels the payment unless it is booked. After `cancelled` nothing can be booked under its paymentId. Idempotent.
   * @throws ApiError UNAVAILABLE: unknown, the payment may be booked now or later
   */
  cancel(order: { draft: Draft }): Promise<'cancelled' | 'booked'>;

  /** Milliseconds that the bank holds a payment before it is submitted, beyond the settlement delay; absent: none. */
  readonly holdMs?: (posting: Posting) => number;
}
