import { ApiError } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { TEXTS } from '../texts.ts';
import type { CardTransactionInfo, Party, TransactionDetails } from '../transactions/transaction.model.ts';
import type { StoredTransaction, TransactionUpdate } from './stored-transaction.model.ts';
import { LEDGER_TEXTS } from './texts.ts';

/** Fields of a transaction that the bank can add or replace later (§2.4), as the feed names them. */
export const ENRICHABLE = [
  'title',
  'message',
  'debtor',
  'creditor',
  'recipient_bban',
  'additional_information',
  'card',
  'transaction_amount',
] as const;
type Enrichable = (typeof ENRICHABLE)[number];

/** The new fields; an empty or absent value removes a field. */
export interface Enrichment {
  /** Only these are replaced. */
  fields: readonly Enrichable[];
  title: string;
  message: string;
  debtor: Party | undefined;
  creditor: Party | undefined;
  recipientBban: string;
  additionalInformation: Record<string, string>;
  card: CardTransactionInfo | undefined;
  transactionAmount: Money | undefined;
  exchangeRate: number | undefined;
}

/**
 * Returns the fields of a transaction after the enrichment.
 * @throws ApiError FORMAT_ERROR for a field that its type does not have, or an original amount of another sign or rate
 */
export function enrich(stored: StoredTransaction, given: Enrichment): TransactionUpdate {
  const has = (field: Enrichable): boolean => given.fields.includes(field);
  requireType(stored, given);
  const { details: before, amount } = stored;
  const message = has('message') ? given.message : (before.message ?? '');
  const recipient = has('recipient_bban')
    ? given.recipientBban
    : (before.domesticCreditTransferInfo?.recipientBBAN ?? '');
  const original = has('transaction_amount') ? (given.transactionAmount ?? null) : stored.original;
  const {
    currencyExchange: _exchange,
    domesticCreditTransferInfo: _info,
    message: _message,
    ...rest
  } = before;
  const exchange = has('transaction_amount') ? exchangeOf(amount, given) : before.currencyExchange;
  const details: TransactionDetails = {
    ...rest,
    ...(exchange === undefined ? {} : { currencyExchange: exchange }),
    ...(recipient === '' ? {} : { domesticCreditTransferInfo: transferInfo(recipient, message) }),
    ...(message === '' ? {} : { message }),
  };
  if (has('debtor')) replace(details, 'debtor', given.debtor);
  if (has('creditor')) replace(details, 'creditor', given.creditor);
  if (has('card')) replace(details, 'cardTransactionInfo', given.card);
  if (has('additional_information')) {
    const identifiers = given.additionalInformation;
    const none = Object.keys(identifiers).length === 0;
    replace(details, 'additionalInformation', none ? undefined : identifiers);
  }
  return { title: has('title') ? given.title : stored.title, original, details };
}

function replace<F extends keyof TransactionDetails>(
  details: TransactionDetails,
  field: F,
  value: TransactionDetails[F] | undefined,
): void {
  if (value === undefined) delete details[field];
  else details[field] = value;
}

function transferInfo(recipientBBAN: string, message: string) {
  return { recipientBBAN, ...(message === '' ? {} : { message }) };
}

function requireType({ type }: StoredTransaction, { fields, card, recipientBban }: Enrichment): void {
  const field =
    fields.includes('card') && card !== undefined && type !== 'card'
      ? 'card'
      : fields.includes('recipient_bban') && recipientBban !== '' && type !== 'domesticCreditTransfer'
        ? 'recipient_bban'
        : undefined;
  if (field !== undefined) throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('not-of-type', { field, type }));
}

function exchangeOf(
  amount: Money,
  { transactionAmount: original, exchangeRate }: Enrichment,
): TransactionDetails['currencyExchange'] {
  const refusal = (path: string, rule: 'other-sign' | 'rate-without-exchange'): ApiError => {
    const text = LEDGER_TEXTS(rule);
    return new ApiError('FORMAT_ERROR', TEXTS('field-fault', { field: path, fault: text }), {
      details: [{ path, text }],
    });
  };
  if (original !== undefined && original.minorUnits > 0n !== amount.minorUnits > 0n)
    throw refusal('transactionAmount.value', 'other-sign');
  if (exchangeRate === undefined) return undefined;
  if (original === undefined || original.currency === amount.currency)
    throw refusal('exchangeRate', 'rate-without-exchange');
  return { currency: original.currency, targetCurrency: amount.currency, exchangeRate };
}
