import type { Money } from '@kontoport/money';

/** What a payment looks like on the sender's account, as far as its type decides it (§2.4, §2.5). */
export interface Posting {
  /** Transaction type of §2.4. */
  readonly type: string;
  readonly title: string;
  /** What leaves the account; positive. */
  readonly amount: Money;
  readonly creditor: { readonly name: string; readonly bban?: string };
  /** Of a domestic credit transfer: 11 to 14 digits (§8). */
  readonly recipientBban?: string;
  /** Identifiers of a receiver that has no account number, by the keys of §2.4. */
  readonly additionalInformation?: Readonly<Record<string, string>>;
}
