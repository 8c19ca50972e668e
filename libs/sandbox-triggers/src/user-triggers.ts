import type { Trigger } from './trigger.ts';

/** A simulated user for a rare case, named by `login_hint` at `/oauth2/authorize`. */
export interface UserTrigger extends Trigger {
  readonly kind: 'user';
  readonly values: { readonly login_hint: string };
}

/** The simulated users for rare cases. */
export const USER_TRIGGERS: readonly UserTrigger[] = [
  {
    kind: 'user',
    name: 'user-overdrawn',
    values: { login_hint: 'overdrawn-dk' },
    effect: 'The balance of the account in DKK is below zero, without a credit limit.',
  },
  {
    kind: 'user',
    name: 'user-without-transactions',
    values: { login_hint: 'empty-dk' },
    effect: 'The accounts have no transactions and a balance of 0.',
  },
  {
    kind: 'user',
    name: 'user-with-many-accounts',
    values: { login_hint: 'many-dk' },
    effect: 'A company has twelve accounts.',
  },
  {
    kind: 'user',
    name: 'user-with-many-transactions',
    values: { login_hint: 'heavy-dk' },
    effect: 'The account in DKK has 12,000 transactions.',
  },
  {
    kind: 'user',
    name: 'user-joint-owner',
    values: { login_hint: 'joint-no' },
    effect: 'The user owns the accounts of `private-no` jointly. A consent of either user opens them.',
  },
  {
    kind: 'user',
    name: 'user-declines',
    values: { login_hint: 'declining-dk' },
    effect:
      'The user refuses: `prompt=none` answers `access_denied`, and a client-credentials token does not see the accounts. ' +
      'On the page of `/oauth2/authorize` you decide yourself.',
  },
];
