import type { Language } from '@kontoport/errors';
import { z } from 'zod';
import { amountAnswer, amountToWire } from '../amount.wire.ts';
import {
  CARD_ENTRY_MODES,
  type FlatRequest,
  genericTitle,
  isoInstant,
  type PageRequest,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type TransactionDetail,
  type TransactionDetails,
  type TransactionList,
  type TransactionPage,
  type TransactionText,
  WALLET_PROVIDERS,
} from './transaction.model.ts';

const instant = z.iso.datetime({ precision: 3 });

const party = z
  .object({
    name: z.string().optional().meta({ description: 'The name of the party.' }),
    address: z.string().optional().meta({ description: 'The postal address in one text.' }),
    account: z
      .object({
        scheme: z.string().meta({ description: 'IBAN, BBAN or ACCOUNT_NUMBER; others may be added.' }),
        identification: z.string().meta({ description: 'The account number in that scheme.' }),
      })
      .optional()
      .meta({ description: 'The account of the party.' }),
    bic: z.string().optional().meta({ description: "The SWIFT/BIC code of the party's bank." }),
  })
  .meta({ id: 'Party', description: 'Debtor or creditor; every field is optional (§2.5).' });

const cardTransactionInfo = z
  .object({
    merchantName: z.string().optional().meta({ description: 'The name of the merchant.' }),
    merchantCategoryCode: z.number().optional().meta({ description: 'ISO 18245, four digits as a number.' }),
    cardEntryMode: z
      .enum(CARD_ENTRY_MODES)
      .optional()
      .meta({ description: 'The way in which the card was read.' }),
    walletProvider: z
      .enum(WALLET_PROVIDERS)
      .optional()
      .meta({ description: 'The wallet with which the user paid.' }),
    isAtm: z.boolean().optional().meta({ description: 'Whether it is a withdrawal of cash from a machine.' }),
    merchantLocation: z
      .object({
        city: z.string().optional().meta({ description: 'The city.' }),
        country: z.string().optional().meta({ description: 'The country.' }),
      })
      .optional()
      .meta({ description: 'The place of the merchant.' }),
  })
  .meta({ id: 'CardTransactionInfo', description: 'Only for type card (§2.6).' });

/** A transaction (§2.4). Optional fields may be added later. */
const transactionAnswer = z
  .object({
    id: z.guid().meta({ description: 'Opaque and stable: it stays the same from pending to posted.' }),
    transactionTime: instant.meta({ description: 'The time at which it began.' }),
    postingTime: instant.nullable().meta({ description: 'The time of settlement; null until then.' }),
    billingAmount: amountAnswer,
    transactionAmount: amountAnswer.nullable().meta({
      description:
        'The original amount, possibly in another currency; null when the payment never held money on the account.',
    }),
    currencyExchange: z
      .object({
        currency: z.string().meta({ description: 'The currency of one amount; ISO 4217.' }),
        targetCurrency: z.string().meta({ description: 'The currency of the other amount; ISO 4217.' }),
        exchangeRate: z.number().meta({ description: 'The rate of the conversion.' }),
      })
      .optional()
      .meta({ description: 'The conversion of one amount to the other, if their currencies differ.' }),
    title: z
      .string()
      .meta({ description: 'If the bank has no title: the kind of transaction, in the requested language.' }),
    type: z.enum(TRANSACTION_TYPES).meta({ description: 'The kind of transaction.' }),
    status: z.enum(TRANSACTION_STATUSES).meta({ description: 'Its present status (§3.1).' }),
    accountId: z.guid().meta({ description: 'The account of the transaction.' }),
    domesticCreditTransferInfo: z
      .object({
        recipientBBAN: z.string().min(11).max(14).meta({ description: "The receiver's account number." }),
        message: z
          .string()
          .optional()
          .meta({ description: 'For older readers: prefer the `message` of the transaction.' }),
      })
      .optional()
      .meta({ description: 'On domestic credit transfers.' }),
    cardTransactionInfo: cardTransactionInfo.optional(),
    attachmentIds: z
      .array(z.guid())
      .optional()
      .meta({ description: 'The ids of its attachments, for the download.' }),
    message: z.string().optional().meta({ description: 'All lines of the payment reference.' }),
    debtor: party.optional().meta({ description: 'The party that pays.' }),
    creditor: party.optional().meta({ description: 'The party that is paid.' }),
    accountBalanceAfterTransaction: amountAnswer
      .optional()
      .meta({ description: 'The booked balance after this transaction.' }),
    additionalInformation: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Identifiers of many kinds; new keys need no new version (§9.4).' }),
  })
  .meta({ id: 'Transaction', description: 'A transaction (§2.4).' });

/** Answer of the V2 list (§2.8). */
export const transactionsAnswerV2 = z
  .object({
    limit: z.int().meta({ description: 'The requested limit, or the default.' }),
    from: instant.optional().meta({ description: 'The requested begin of the window, in UTC.' }),
    to: instant.optional().meta({ description: 'The requested end of the window, in UTC.' }),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Present while more posted transactions may follow.' }),
    pending: z.array(transactionAnswer).meta({ description: 'All transactions in status authorization.' }),
    posted: z
      .array(transactionAnswer)
      .meta({ description: 'A page of the transactions in status financial.' }),
  })
  .meta({ id: 'TransactionsResponseV2' });

/** Answer of the flat list (§2.7). */
export const transactionsAnswer = z
  .object({
    offset: z.int().meta({ description: 'The number of skipped transactions.' }),
    limit: z.int().meta({ description: 'The requested limit, or the default.' }),
    from: instant.optional().meta({ description: 'The requested begin of the window, in UTC.' }),
    to: instant.optional().meta({ description: 'The requested end of the window, in UTC.' }),
    transactions: z.array(transactionAnswer).meta({ description: 'Newest first, in every status.' }),
  })
  .meta({ id: 'TransactionsResponse' });

/** Answer to a transaction by its id (§2.9). */
export const transactionDetailAnswer = transactionAnswer
  .extend({ deleted: z.boolean().meta({ description: 'Whether it was removed from the lists.' }) })
  .meta({ id: 'TransactionDetail' });

/** Defaults of absent fields. */
interface Surroundings {
  accountId: string;
  currency: string;
  /** Of a transaction without a title. */
  language: Language;
}

/** A transaction as a TPP sees it (§2.4). */
function transactionToWire(row: TransactionText, { accountId, currency, language }: Surroundings) {
  const { transaction_amount: original, balance_after: balance } = row;
  return {
    id: row.id,
    transactionTime: isoInstant(row.transaction_time),
    postingTime: row.posting_time === null ? null : isoInstant(row.posting_time),
    billingAmount: amountToWire(row.billing_amount, currency),
    transactionAmount: original === null ? null : amountToWire(original, row.transaction_currency!),
    title: row.title === '' ? genericTitle(row.type, language) : row.title,
    type: row.type,
    status: row.status,
    accountId,
    ...(balance !== null && { accountBalanceAfterTransaction: amountToWire(balance, currency) }),
    ...(JSON.parse(row.details) as TransactionDetails),
  };
}

/** A page of the V2 list (§2.8). */
export function pageToWire(
  { request, ...rest }: { accountId: string; language: Language; request: PageRequest },
  { currency, nextCursor, pending, posted }: TransactionPage & { nextCursor?: string },
) {
  const { limit, from, to } = request;
  const toWire = (row: TransactionText) => transactionToWire(row, { ...rest, currency });
  return { limit, from, to, nextCursor, pending: pending.map(toWire), posted: posted.map(toWire) };
}

/** A part of the flat list (§2.7). */
export function listToWire(
  { request, ...rest }: { accountId: string; language: Language; request: FlatRequest },
  { currency, transactions }: TransactionList,
) {
  const { offset, limit, from, to } = request;
  const toWire = (row: TransactionText) => transactionToWire(row, { ...rest, currency });
  return { offset, limit, from, to, transactions: transactions.map(toWire) };
}

/** A transaction by its id (§2.9). */
export function detailToWire(
  rest: { accountId: string; language: Language },
  { currency, transaction, deleted }: TransactionDetail,
) {
  return { ...transactionToWire(transaction, { ...rest, currency }), deleted };
}

const exampleAccount = '8c5304e2-96e4-5551-b4af-bc6c60e97825';

export const pageExample: z.input<typeof transactionsAnswerV2> = {
  limit: 100,
  from: '2026-03-01T12:00:00.000Z',
  pending: [
    {
      id: '7f2d9a10-3c4b-5e6f-8a90-1b2c3d4e5f60',
      transactionTime: '2026-03-14T16:42:07.000Z',
      postingTime: null,
      billingAmount: { amount: -249.95, currency: 'DKK' },
      transactionAmount: { amount: -249.95, currency: 'DKK' },
      title: 'Nordlys Dagligvarer',
      type: 'card',
      status: 'authorization',
      accountId: exampleAccount,
      cardTransactionInfo: {
        merchantName: 'Nordlys Dagligvarer',
        merchantCategoryCode: 5411,
        cardEntryMode: 'contactless',
        merchantLocation: { city: 'Aarhus', country: 'DK' },
      },
    },
  ],
  posted: [
    {
      id: '1c9e8d7c-6b5a-5f4e-9d3c-2b1a09f8e7d6',
      transactionTime: '2026-03-13T09:15:00.000Z',
      postingTime: '2026-03-13T09:15:02.120Z',
      billingAmount: { amount: -8250, currency: 'DKK' },
      transactionAmount: { amount: -8250, currency: 'DKK' },
      title: 'Husleje marts',
      type: 'domesticCreditTransfer',
      status: 'financial',
      accountId: exampleAccount,
      accountBalanceAfterTransaction: { amount: 18342.75, currency: 'DKK' },
      domesticCreditTransferInfo: { recipientBBAN: '53010001234567', message: 'Husleje marts' },
      message: 'Husleje marts',
      debtor: { name: 'Freja Lindholm' },
      creditor: {
        name: 'Boligforeningen Havnen',
        account: { scheme: 'BBAN', identification: '53010001234567' },
      },
    },
  ],
};

const [examplePosted] = pageExample.posted;

export const listExample: z.input<typeof transactionsAnswer> = {
  offset: 0,
  limit: 100,
  from: '2026-03-01T12:00:00.000Z',
  transactions: [...pageExample.pending, ...pageExample.posted],
};

export const detailExample: z.input<typeof transactionDetailAnswer> = { ...examplePosted!, deleted: false };
