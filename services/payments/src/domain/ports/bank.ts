import type { Draft } from '../draft.model.ts';
import type { Posting } from '../payment-types/payment-type.model.ts';

/** A payment for the bank to execute. */
export interface PaymentOrder {
  /** PENDING: with its payment. */
  draft: Draft;
  /** What the draft's payment type makes of its fields. */
  posting: Posting;
}

/**
 * Who executes payments, each named by its paymentId (§3.2). `test/bank.conformance.ts` is what an implementation must
 * fulfil.
 */
export interface Bank {
  /**
   * Books the payment on the sender account, if the funds suffice, or tells how its execution stands: `pending` is to be asked
   * again later, after `cancelled` it never will be booked. Repeated with the same payment it answers the same and moves no
   * money twice.
   * @throws ApiError a refusal, which is final; UNAVAILABLE when there was no answer: the money may have moved
   */
  submit(order: PaymentOrder): Promise<'booked' | 'pending' | 'cancelled'>;

  /**
   * Takes the payment back, unless it is booked. After `cancelled` nothing can be booked under its paymentId any more,
   * whatever is still on its way. Repeated it answers the same.
   * @throws ApiError UNAVAILABLE: nothing is known, the payment may be booked or may yet be
   */
  cancel(order: { draft: Draft }): Promise<'cancelled' | 'booked'>;
}
