import type { StoredText, Text } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { TEXTS } from '../texts.ts';

/** An account that the client may use, as the bank describes it. */
export interface SenderAccount {
  readonly accountId: string;
  /** Id of the owner: a UUID. */
  readonly userId: string;
  readonly bban: string;
  readonly ownerName: string;
  readonly currency: string;
  readonly supportsPayments: boolean;
  readonly supportsTransfers: boolean;
}

/**
 * The account, when a consent opens it to the client for payments; otherwise undefined.
 * @throws ApiError UNAVAILABLE when the bank does not answer within 2 s
 */
export type FindAccount = (search: {
  clientId: string;
  /** The one consent under which the client acts; absent: any of its live ones. */
  consentId?: string | undefined;
  accountId: string;
  signal: AbortSignal;
}) => Promise<SenderAccount | undefined>;

/** The fields that the drafts of every payment type have (§2.10); each type adds its own. */
export interface PaymentFields {
  readonly senderAccountId?: string | undefined;
}

/** A finding about the fields of a draft; it becomes a sentence in the reader's language (§2.10). */
export interface Finding extends StoredText {
  readonly path: string;
}

export function finding(path: string, { rule, values }: Text): Finding {
  return { path, rule, values };
}

/** The sentence of a finding, as far as this version still has it. */
export function textOf(found: Finding): Text {
  return TEXTS.read(found) ?? TEXTS('not-valid');
}

/** The faults of a draft, and the warnings about fields that could not be checked. */
export interface Verdict {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** The transaction of a payment on the sender's account, as far as its type decides it (§2.4, §2.5). */
export interface Posting {
  /** Transaction type of §2.4. */
  readonly type: string;
  readonly title: string;
  /** The amount that leaves the account; positive. */
  readonly amount: Money;
  readonly creditor: { readonly name: string; readonly bban?: string };
  /** The text that the receiver reads; absent: the name of the draft. */
  readonly message?: string;
  /** Only of a domestic credit transfer: 11 to 14 digits (§8). */
  readonly recipientBban?: string;
  /** Identifiers of a receiver that has no account number, by the keys of §2.4. */
  readonly additionalInformation?: Readonly<Record<string, string>>;
}

/** The rules of a payment type; pure. `Fields` are those of its drafts. */
export interface PaymentRules<Fields extends PaymentFields = PaymentFields> {
  /** The time at which an approved payment is due: after the sandbox's delay, or at once (§3.2). */
  readonly onApproval: 'settle-after-delay' | 'settle-at-once';
  /** DELETE of a payment that is not settled makes its draft CREATED again, or there is no such operation (§3.2, §4.4). */
  readonly onDeletion: 'draft-again' | 'not-offered';
  /**
   * Judges the fields as a whole (§2.10).
   * @param senderAccount the account that `senderAccountId` names; undefined when the client may not use it
   */
  validate(fields: Fields, senderAccount: SenderAccount | undefined): Verdict;
  /** The posting of valid fields; it depends on them alone, so that a repetition is the same. */
  posting(fields: Fields): Posting;
}

/** Finds the rules of a payment type. @throws Error for an unknown type, which no request can cause */
export function rulesOf<Rules extends PaymentRules>(
  types: Readonly<Record<string, Rules>>,
  { paymentType }: { paymentType: string },
): Rules {
  const rules = Object.hasOwn(types, paymentType) ? types[paymentType] : undefined;
  if (rules === undefined) throw new Error(`there is no payment type ${paymentType}`);
  return rules;
}
