import { z } from 'zod';
import { amountAnswer, amountJson } from '../amount.wire.ts';
import {
  isoInstant,
  type PageRequest,
  type TransactionPage,
  type TransactionText,
} from './transaction-page.model.ts';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from './transaction.model.ts';

const instant = z.iso.datetime({ precision: 3 });

const party = z
  .object({
    name: z.string().optional(),
    address: z.string().optional(),
    account: z
      .object({
        scheme: z.string().meta({ description: 'IBAN, BBAN or ACCOUNT_NUMBER; others may be added.' }),
        identification: z.string(),
      })
      .optional(),
    bic: z.string().optional(),
  })
  .meta({ id: 'Party', description: 'Debtor or creditor; no field is certain to be there (§2.5).' });

const cardTransactionInfo = z
  .object({
    merchantName: z.string().optional(),
    merchantCategoryCode: z.number().optional(),
    cardEntryMode: z
      .enum(['chip', 'contactless', 'magneticStripe', 'manual', 'merchantInitiated'])
      .optional(),
    walletProvider: z.enum(['wallet_a', 'wallet_b']).optional(),
    isAtm: z.boolean().optional(),
    merchantLocation: z.object({ city: z.string().optional(), country: z.string().optional() }).optional(),
  })
  .meta({ id: 'CardTransactionInfo', description: 'On transactions of type card (§2.6).' });

/** A transaction (§2.4); what enriches it may come later. */
export const transactionAnswer = z
  .object({
    id: z.guid(),
    transactionTime: instant,
    postingTime: instant.nullable().meta({ description: 'When it was settled; null until then.' }),
    billingAmount: amountAnswer,
    transactionAmount: amountAnswer.nullable(),
    currencyExchange: z
      .object({ currency: z.string(), targetCurrency: z.string(), exchangeRate: z.number() })
      .optional(),
    title: z.string(),
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES),
    accountId: z.guid(),
    domesticCreditTransferInfo: z
      .object({ recipientBBAN: z.string().min(11).max(14), message: z.string().optional() })
      .optional(),
    cardTransactionInfo: cardTransactionInfo.optional(),
    attachmentIds: z.array(z.guid()).optional(),
    message: z.string().optional(),
    debtor: party.optional(),
    creditor: party.optional(),
    accountBalanceAfterTransaction: amountAnswer.optional(),
    additionalInformation: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Identifiers of many kinds; new keys need no new version (§9.4).' }),
  })
  .meta({ id: 'Transaction' });

/** Answer of the V2 list (§2.8). */
export const transactionsAnswerV2 = z
  .object({
    limit: z.int().meta({ description: 'As asked for, or its default.' }),
    from: instant.optional(),
    to: instant.optional(),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'There while more posted transactions may follow.' }),
    pending: z.array(transactionAnswer).meta({ description: 'Those in status authorization, always all.' }),
    posted: z.array(transactionAnswer).meta({ description: 'Those in status financial, in pages.' }),
  })
  .meta({ id: 'TransactionsResponseV2' });

/** The JSON text of a transaction (§2.4). */
function transactionJson(row: TransactionText, account: { id: string; currency: string }): string {
  const posting = row.posting_time === null ? 'null' : `"${isoInstant(row.posting_time)}"`;
  const original =
    row.transaction_amount === null ? 'null' : amountJson(row.transaction_amount, row.transaction_currency!);
  const balance =
    row.balance_after === null
      ? ''
      : `,"accountBalanceAfterTransaction":${amountJson(row.balance_after, account.currency)}`;
  // The details are a JSON object already: its members go in as they are.
  const details = row.details === '{}' ? '' : `,${row.details.slice(1, -1)}`;
  return (
    `{"id":"${row.id}","transactionTime":"${isoInstant(row.transaction_time)}","postingTime":${posting},` +
    `"billingAmount":${amountJson(row.billing_amount, account.currency)},"transactionAmount":${original},` +
    `"title":${JSON.stringify(row.title)},"type":"${row.type}","status":"${row.status}",` +
    `"accountId":"${account.id}"${balance}${details}}`
  );
}

/** The JSON text of a page (§2.8). */
export function transactionsJsonV2(
  accountId: string,
  request: PageRequest,
  page: TransactionPage & { nextCursor?: string },
): string {
  const account = { id: accountId, currency: page.currency };
  const list = (rows: readonly TransactionText[]): string =>
    `[${rows.map((row) => transactionJson(row, account)).join(',')}]`;
  return (
    `{"limit":${request.limit}` +
    (request.from === undefined ? '' : `,"from":"${request.from}"`) +
    (request.to === undefined ? '' : `,"to":"${request.to}"`) +
    (page.nextCursor === undefined ? '' : `,"nextCursor":"${page.nextCursor}"`) +
    `,"pending":${list(page.pending)},"posted":${list(page.posted)}}`
  );
}

const exampleAccount = '0b6a4c1e-2f7d-5a43-9c58-7d1e6f0a9b21';

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
