import type { Trigger } from './trigger.ts';

/** A receiver whose payments the sandbox treats in a special way. */
export interface PaymentTrigger extends Trigger {
  readonly kind: 'payment';
  /** A Danish account number and a Swedish giro number, which is a valid bankgiro and a valid plusgiro number. */
  readonly values: { readonly receiverAccountBban: string; readonly receiverGiroNumber: string };
  /** The time at which it acts: when the user approves the payments, or when the bank books them. */
  readonly at: 'approval' | 'booking';
  /** Of the draft, the payment, or the run of a standing order; at the approval also of the basket and the standing order. */
  readonly status: 'AWAITING_APPROVAL' | 'PENDING' | 'REJECTED' | 'EXPIRED';
  /** The `error` of the redirect to the TPP, of an approval that fails (§4.4). */
  readonly redirectError?: 'access_denied' | 'expired' | 'failed';
  /** Days by the clock of the simulated bank until a payment that stays PENDING is booked. */
  readonly days?: number;
}

/** All payment types have these rows: drafts and baskets, single payments, standing orders. */
export const PAYMENT_TRIGGERS: readonly PaymentTrigger[] = [
  {
    kind: 'payment',
    name: 'payment-declined',
    values: { receiverAccountBban: '66959000000001', receiverGiroNumber: '99900011' },
    at: 'approval',
    effect: 'The user declines a moment after the request.',
    status: 'REJECTED',
    errorCode: 'STATUS_INVALID',
    redirectError: 'access_denied',
  },
  {
    kind: 'payment',
    name: 'payment-expired',
    values: { receiverAccountBban: '66959000000002', receiverGiroNumber: '99900029' },
    at: 'approval',
    effect:
      'The user does not answer. The approval expires a moment after the request, not after 15 minutes.',
    status: 'EXPIRED',
    redirectError: 'expired',
  },
  {
    kind: 'payment',
    name: 'authentication-failed',
    values: { receiverAccountBban: '66959000000003', receiverGiroNumber: '99900037' },
    at: 'approval',
    effect: 'The bank cannot authenticate the user.',
    status: 'REJECTED',
    errorCode: 'STATUS_INVALID',
    redirectError: 'failed',
  },
  {
    kind: 'payment',
    name: 'approval-page',
    values: { receiverAccountBban: '66959000000004', receiverGiroNumber: '99900045' },
    at: 'approval',
    effect:
      'The approval waits for the page at `authUrl`, on which you approve or decline as the owner of the paying account.',
    status: 'AWAITING_APPROVAL',
  },
  {
    kind: 'payment',
    name: 'payment-pending',
    values: { receiverAccountBban: '66959000000005', receiverGiroNumber: '99900052' },
    at: 'booking',
    effect: 'The bank books the payment three days later by its clock, which you can advance.',
    status: 'PENDING',
    days: 3,
  },
  {
    kind: 'payment',
    name: 'receiver-closed',
    values: { receiverAccountBban: '66959000000006', receiverGiroNumber: '99900060' },
    at: 'booking',
    effect:
      "The receiver's account is closed. The bank gives the same code for every reason that it does not disclose, " +
      'such as a blocked account or an exceeded limit.',
    status: 'REJECTED',
    errorCode: 'STATUS_INVALID',
  },
  {
    kind: 'payment',
    name: 'sender-closed',
    values: { receiverAccountBban: '66959000000007', receiverGiroNumber: '99900078' },
    at: 'booking',
    effect: 'The paying account is closed after the approval.',
    status: 'REJECTED',
    errorCode: 'RESOURCE_UNKNOWN',
  },
  {
    kind: 'payment',
    name: 'funds-insufficient',
    values: { receiverAccountBban: '66959000000008', receiverGiroNumber: '99900086' },
    at: 'booking',
    effect: 'The funds do not cover the payment, whatever the balance.',
    status: 'REJECTED',
    errorCode: 'FUNDS_INSUFFICIENT',
  },
];
