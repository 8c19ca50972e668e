import { fault, rule } from '@kontoport/errors';
import { checkShape, uuid } from '@kontoport/http';
import { MoneyFormatError, parseMoney } from '@kontoport/money';
import type {
  AuthorizeRequest,
  Party as PartyMessage,
  PostRequest,
  SettleRequest,
  VoidRequest,
} from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import {
  ACCOUNT_SCHEMES,
  type Party,
  TRANSACTION_TYPES,
  type TransactionDetails,
} from '../transactions/transaction.model.ts';
import type { Posting } from './posting.model.ts';

const text = (most: number) =>
  z
    .string()
    .max(most, rule(TEXTS('too-long', { most })))
    .refine(isStorable, rule(TEXTS('not-storable')));
const party = z
  .object({
    name: text(140),
    address: text(500),
    accountScheme: z.enum(
      ['', ...ACCOUNT_SCHEMES],
      rule(TEXTS('one-of', { values: ACCOUNT_SCHEMES.join(', ') })),
    ),
    accountIdentification: text(70),
    bic: z.string().regex(/^([A-Z0-9]{8}([A-Z0-9]{3})?)?$/, rule(TEXTS('not-bic'))),
  })
  .refine((given) => (given.accountScheme === '') === (given.accountIdentification === ''), {
    path: ['accountIdentification'],
    message: rule(TEXTS('with-scheme')),
  })
  .transform(readParty);

const MAX_ENTRIES = 20;

const amount = z.object({ value: z.string(), currency: z.string() }).transform((given, context) => {
  try {
    const money = parseMoney(given.value, given.currency);
    if (money.minorUnits !== 0n) return money;
    context.addIssue({ code: 'custom', path: ['value'], ...fault(TEXTS('zero')) });
  } catch (error) {
    if (!(error instanceof MoneyFormatError)) throw error;
    context.addIssue({ code: 'custom', path: ['value'], ...fault(error.text) });
  }
  return z.NEVER;
});

const time = z
  .date(rule(TEXTS('not-time')))
  .min(new Date('1970-01-01T00:00:00Z'), rule(TEXTS('too-early')))
  .max(new Date('9999-12-31T23:59:59Z'), rule(TEXTS('too-late')));

const postRequest = z
  .object({
    transactionId: uuid,
    accountId: uuid,
    amount,
    transactionTime: time.optional(),
    postingTime: time.optional(),
    title: text(140),
    type: z.enum(TRANSACTION_TYPES, rule(TEXTS('one-of', { values: TRANSACTION_TYPES.join(', ') }))),
    message: text(1_000),
    debtor: party.optional(),
    creditor: party.optional(),
    // 11 to 14 characters (§2.4, §8).
    recipientBban: z.string().regex(/^([0-9A-Z]{11,14})?$/, rule(TEXTS('not-bban'))),
    additionalInformation: z
      .record(text(64).min(1, rule(TEXTS('empty'))), text(256))
      .refine(
        (map) => Object.keys(map).length <= MAX_ENTRIES,
        rule(TEXTS('too-many-entries', { most: MAX_ENTRIES })),
      ),
    requireFunds: z.boolean(),
  })
  .refine(({ type, recipientBban }) => recipientBban === '' || type === 'domesticCreditTransfer', {
    path: ['recipientBban'],
    message: rule(TEXTS('transfer-only')),
  });

/** Reads a posting as it came over gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readPosting(request: PostRequest | AuthorizeRequest): Posting {
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
  return {
    ...rest,
    transactionTime: rest.transactionTime,
    postingTime: rest.postingTime,
    details,
    requireFunds,
  };
}

const ids = { transactionId: uuid, accountId: uuid };
const settleRequest = z.object({ ...ids, amount: amount.optional(), postingTime: time.optional() });
const idsRequest = z.object(ids);

/** Reads a settlement as it came over gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readSettlement(request: SettleRequest) {
  const { amount: booked, postingTime, ...transaction } = checkShape(settleRequest, request, 'body');
  return { ...transaction, amount: booked, postingTime };
}

/** Reads which transaction is meant. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readTransactionIds(request: VoidRequest) {
  return checkShape(idsRequest, request, 'body');
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
