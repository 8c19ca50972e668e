import { createHash } from 'node:crypto';
import { checkShape } from '@kontoport/http';
import { type Money, MoneyFormatError, parseMoney } from '@kontoport/money';
import type { Party as PartyMessage, PostRequest } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import {
  ACCOUNT_SCHEMES,
  type Party,
  TRANSACTION_TYPES,
  type TransactionDetails,
  type TransactionType,
} from '../transactions/transaction.model.ts';

/** A transaction that the bank has settled, to be booked on an account. */
export interface Posting {
  /** UUID, chosen by the caller. */
  transactionId: string;
  accountId: string;
  amount: Money;
  /** Absent: the moment of booking. */
  transactionTime: Date | undefined;
  title: string;
  type: TransactionType;
  details: TransactionDetails;
  /** Refuse a debit that exceeds the available amount. */
  requireFunds: boolean;
  /** SHA-256 of what is booked: the same for a repetition, whatever the order of its map entries. */
  contentHash: Buffer;
}

const id = z.guid('must be a UUID').transform((text) => text.toLowerCase());
const text = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine(isStorable, 'must not hold NUL or lone surrogates');
const party = z
  .object({
    name: text(140),
    address: text(500),
    accountScheme: z.enum(['', ...ACCOUNT_SCHEMES], `must be one of ${ACCOUNT_SCHEMES.join(', ')}`),
    accountIdentification: text(70),
    bic: z.string().regex(/^([A-Z0-9]{8}([A-Z0-9]{3})?)?$/, 'must be a BIC'),
  })
  .refine((given) => (given.accountScheme === '') === (given.accountIdentification === ''), {
    path: ['accountIdentification'],
    message: 'must stand together with the scheme',
  })
  .transform(readParty);

const MAX_ENTRIES = 20;

const postRequest = z
  .object({
    transactionId: id,
    accountId: id,
    amount: z.object({ value: z.string(), currency: z.string() }).transform((amount, context) => {
      try {
        const money = parseMoney(amount.value, amount.currency);
        if (money.minorUnits !== 0n) return money;
        context.addIssue({ code: 'custom', path: ['value'], message: 'must not be zero' });
      } catch (error) {
        if (!(error instanceof MoneyFormatError)) throw error;
        context.addIssue({ code: 'custom', path: ['value'], message: error.message });
      }
      return z.NEVER;
    }),
    transactionTime: z
      .date('must be a time')
      .min(new Date('1970-01-01T00:00:00Z'), 'must not be before 1970')
      .max(new Date('9999-12-31T23:59:59Z'), 'must not be after 9999')
      .optional(),
    title: text(140).min(1, 'must not be empty'),
    type: z.enum(TRANSACTION_TYPES, `must be one of ${TRANSACTION_TYPES.join(', ')}`),
    message: text(1_000),
    debtor: party.optional(),
    creditor: party.optional(),
    recipientBban: z.string().regex(/^([0-9A-Z]{11,14})?$/, 'must have 11 to 14 digits or capital letters'),
    additionalInformation: z
      .record(text(64).min(1, 'must not be empty'), text(256))
      .refine((map) => Object.keys(map).length <= MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`),
    requireFunds: z.boolean(),
  })
  .refine(({ type, recipientBban }) => recipientBban === '' || type === 'domesticCreditTransfer', {
    path: ['recipientBban'],
    message: 'is of a domesticCreditTransfer only',
  });

/** Reads a posting as it came over gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readPosting(request: PostRequest): Posting {
  const { message, debtor, creditor, recipientBban, additionalInformation, requireFunds, ...rest } =
    checkShape(postRequest, request, 'body');
  const identifiers = Object.entries(additionalInformation).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const withMessage = message === '' ? {} : { message };
  const details: TransactionDetails = {
    ...(recipientBban === ''
      ? {}
      : { domesticCreditTransferInfo: { recipientBBAN: recipientBban, ...withMessage } }),
    ...withMessage,
    ...(debtor === undefined ? {} : { debtor }),
    ...(creditor === undefined ? {} : { creditor }),
    ...(identifiers.length === 0 ? {} : { additionalInformation: Object.fromEntries(identifiers) }),
  };
  const { transactionId, accountId, amount, transactionTime, title, type } = rest;
  const content = [
    transactionId,
    accountId,
    amount.minorUnits.toString(),
    amount.currency,
    transactionTime?.toISOString(),
    title,
    type,
    details,
  ];
  return {
    transactionId,
    accountId,
    amount,
    transactionTime,
    title,
    type,
    details,
    requireFunds,
    contentHash: createHash('sha256').update(JSON.stringify(content)).digest(),
  };
}

function readParty(message: PartyMessage): Party {
  const { name, address, accountScheme, accountIdentification, bic } = message;
  return {
    ...(name === '' ? {} : { name }),
    ...(address === '' ? {} : { address }),
    ...(accountScheme === ''
      ? {}
      : {
          account: {
            scheme: accountScheme as (typeof ACCOUNT_SCHEMES)[number],
            identification: accountIdentification,
          },
        }),
    ...(bic === '' ? {} : { bic }),
  };
}

/** PostgreSQL holds neither NUL nor half a surrogate pair in a text. */
function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
