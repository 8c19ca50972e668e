import { ApiError, type Language, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** Status of a transaction (§3.1). */
export const TRANSACTION_STATUSES = [
  'future',
  'financial',
  'authorization',
  'interim',
  'failed_authorization',
  'declined',
  'initiated',
  'unknown',
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** Type of a transaction (§2.4). */
export const TRANSACTION_TYPES = [
  'dkPaymentSlip',
  'domesticCreditTransfer',
  'card',
  'direct-debit',
  'unknown',
] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** Schemes of a party's account; more can follow (§2.5). */
export const ACCOUNT_SCHEMES = ['IBAN', 'BBAN', 'ACCOUNT_NUMBER'] as const;

/** The entry mode of a card (§2.6). */
export const CARD_ENTRY_MODES = [
  'chip',
  'contactless',
  'magneticStripe',
  'manual',
  'merchantInitiated',
] as const;

/** Wallets, by neutral names (§2.6). */
export const WALLET_PROVIDERS = ['wallet_a', 'wallet_b'] as const;

/** A debtor or creditor (§2.5). Here and below, types instead of interfaces, because they are stored as JSON. */
export type Party = {
  name?: string;
  address?: string;
  account?: { scheme: (typeof ACCOUNT_SCHEMES)[number]; identification: string };
  bic?: string;
};

/** Card data of a transaction (§2.6). */
export type CardTransactionInfo = {
  merchantName?: string;
  merchantCategoryCode?: number;
  cardEntryMode?: (typeof CARD_ENTRY_MODES)[number];
  walletProvider?: (typeof WALLET_PROVIDERS)[number];
  isAtm?: boolean;
  merchantLocation?: { city?: string; country?: string };
};

/** The optional fields of a transaction, in the shape in which they are stored and sent (§2.4). */
export type TransactionDetails = {
  currencyExchange?: { currency: string; targetCurrency: string; exchangeRate: number };
  domesticCreditTransferInfo?: { recipientBBAN: string; message?: string };
  cardTransactionInfo?: CardTransactionInfo;
  attachmentIds?: string[];
  message?: string;
  debtor?: Party;
  creditor?: Party;
  additionalInformation?: Record<string, string>;
};

/** The last transaction of a page of posted ones. */
export interface Position {
  /** ISO 8601 UTC with milliseconds. */
  postingTime: string;
  /** UUID of the transaction. */
  id: string;
}

/** Query of the V2 list (§4.3); instants as ISO 8601 in UTC with milliseconds. */
export interface PageRequest {
  limit: number;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

/** Query of the flat list (§4.3); instants as ISO 8601 in UTC with milliseconds. */
export interface FlatRequest {
  limit: number;
  /** The number of skipped transactions. */
  offset: number;
  from?: string | undefined;
  to?: string | undefined;
}

/** A row of a transaction; every value is PostgreSQL's text. */
export interface TransactionText {
  id: string;
  status: string;
  type: string;
  /** `2026-03-01 08:30:15.12+00` */
  transaction_time: string;
  posting_time: string | null;
  /** Minor units, as all amounts here. */
  billing_amount: string;
  transaction_amount: string | null;
  transaction_currency: string | null;
  balance_after: string | null;
  /** Empty when the bank sends none: readers get the title of its type. */
  title: string;
  /** JSON object. */
  details: string;
}

export interface TransactionPage {
  /** Of the account. */
  currency: string;
  /** Status authorization, newest first. */
  pending: TransactionText[];
  /** Status financial, newest first; at most `rows`. */
  posted: TransactionText[];
}

/** A part of the flat list, newest first. */
export interface TransactionList {
  /** Of the account. */
  currency: string;
  transactions: TransactionText[];
}

/** A transaction by its id. */
export interface TransactionDetail {
  /** Of the account. */
  currency: string;
  transaction: TransactionText;
  /** Whether it was removed from every list. */
  deleted: boolean;
}

/** Refuses an unknown transaction and one of another caller's account with the same error (§4.3). */
export function transactionUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('transaction-unknown'));
}

/** Returns the title of a type, for transactions without a title of their own (§4). */
export function genericTitle(type: string, language: Language): string {
  return (GENERIC_TITLES[type as TransactionType] ?? GENERIC_TITLES.unknown).in(language);
}

const GENERIC_TITLES: Record<TransactionType, Text> = {
  dkPaymentSlip: TEXTS('title-payment-slip'),
  domesticCreditTransfer: TEXTS('title-transfer'),
  card: TEXTS('title-card'),
  'direct-debit': TEXTS('title-direct-debit'),
  unknown: TEXTS('title-unknown'),
};

/** Converts PostgreSQL's text of a timestamptz(3) in UTC to ISO 8601: `2026-03-01 08:30:15.12+00` → `…T08:30:15.120Z`. */
export function isoInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, '0')}Z`;
}
