/** How a transaction stands (§3.1). */
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

/** What a transaction is (§2.4). */
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

/** A debtor or creditor (§2.5). Types and not interfaces, here and below: they are stored as JSON. */
export type Party = {
  name?: string;
  address?: string;
  account?: { scheme: (typeof ACCOUNT_SCHEMES)[number]; identification: string };
  bic?: string;
};

/** What is known of a card transaction (§2.6). */
export type CardTransactionInfo = {
  merchantName?: string;
  merchantCategoryCode?: number;
  cardEntryMode?: 'chip' | 'contactless' | 'magneticStripe' | 'manual' | 'merchantInitiated';
  walletProvider?: 'wallet_a' | 'wallet_b';
  isAtm?: boolean;
  merchantLocation?: { city?: string; country?: string };
};

/** The fields of a transaction that are optional until present: stored and sent in these shapes (§2.4). */
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
