import { rule } from '@kontoport/errors';
import { checkShape } from '@kontoport/http';
import type { Money } from '@kontoport/money';
import type {
  AuthorizeRequest,
  InitiateRequest,
  PostRequest,
  ScheduleRequest,
  SettleRequest,
  VoidRequest,
} from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { TRANSACTION_TYPES, type TransactionDetails } from '../transactions/transaction.model.ts';
import {
  additionalInformation,
  card,
  exchangeRate,
  issueAt,
  movement,
  named,
  names,
  party,
  recipientBban,
  text,
  time,
} from './entry.wire.ts';
import type { Posting } from './posting.model.ts';
import { LEDGER_TEXTS } from './texts.ts';

const postRequest = z
  .object({
    ...names,
    amount: movement,
    transactionTime: time.optional(),
    postingTime: time.optional(),
    title: text(140),
    type: z.enum(TRANSACTION_TYPES, rule(TEXTS('one-of', { values: TRANSACTION_TYPES.join(', ') }))),
    message: text(1_000),
    debtor: party.optional(),
    creditor: party.optional(),
    recipientBban,
    additionalInformation,
    requireFunds: z.boolean().default(false),
    transactionAmount: movement.optional(),
    neverReserved: z.boolean(),
    exchangeRate,
    card: card.optional(),
  })
  .refine(({ type, recipientBban: bban }) => bban === '' || type === 'domesticCreditTransfer', {
    path: ['recipientBban'],
    message: rule(TEXTS('transfer-only')),
  })
  .refine((given) => given.card === undefined || given.type === 'card', {
    path: ['card'],
    message: rule(LEDGER_TEXTS('card-only')),
  })
  .transform(withOriginal)
  .transform(named);

/** Replaces the request's fields about the original amount by `original`. */
function withOriginal<
  T extends {
    amount: Money;
    transactionAmount?: Money | undefined;
    neverReserved: boolean;
    exchangeRate: string;
  },
>({ transactionAmount: given, neverReserved, ...rest }: T, context: z.RefinementCtx) {
  const { amount } = rest;
  if (neverReserved && given !== undefined)
    return issueAt(context, ['transactionAmount'], LEDGER_TEXTS('never-reserved'));
  if (given !== undefined && given.minorUnits > 0n !== amount.minorUnits > 0n)
    return issueAt(context, ['transactionAmount', 'value'], LEDGER_TEXTS('other-sign'));
  if (rest.exchangeRate !== '' && (given === undefined || given.currency === amount.currency))
    return issueAt(context, ['exchangeRate'], LEDGER_TEXTS('rate-without-exchange'));
  return { ...rest, original: neverReserved ? null : (given ?? amount) };
}

/** Reads a posting from gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readPosting(
  request: PostRequest | AuthorizeRequest | InitiateRequest | ScheduleRequest,
): Posting {
  const {
    message,
    debtor,
    creditor,
    recipientBban: bban,
    ...read
  } = checkShape(postRequest, request, 'body');
  const { additionalInformation: identifiers, exchangeRate: rate, card: cardInfo, ...rest } = read;
  const withMessage = message === '' ? {} : { message };
  const details: TransactionDetails = {
    ...(rate === ''
      ? {}
      : {
          currencyExchange: {
            currency: rest.original!.currency,
            targetCurrency: rest.amount.currency,
            exchangeRate: Number(rate),
          },
        }),
    ...(bban === '' ? {} : { domesticCreditTransferInfo: { recipientBBAN: bban, ...withMessage } }),
    ...(cardInfo === undefined ? {} : { cardTransactionInfo: cardInfo }),
    ...withMessage,
    ...(debtor === undefined ? {} : { debtor }),
    ...(creditor === undefined ? {} : { creditor }),
    ...(Object.keys(identifiers).length === 0 ? {} : { additionalInformation: identifiers }),
  };
  return { ...rest, transactionTime: rest.transactionTime, postingTime: rest.postingTime, details };
}

const plannedRequest = z.object({ transactionTime: time });

/** Reads a transaction planned for a future day. @throws ApiError FORMAT_ERROR as `readPosting`, and without that day. */
export function readPlanned(request: ScheduleRequest): Posting {
  checkShape(plannedRequest, request, 'body');
  return readPosting(request);
}

const settleRequest = z
  .object({ ...names, amount: movement.optional(), postingTime: time.optional() })
  .transform(named);
const idsRequest = z.object(names).transform(named);

/** Reads a settlement from gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readSettlement(request: SettleRequest) {
  const { amount, postingTime, ...transaction } = checkShape(settleRequest, request, 'body');
  return { ...transaction, amount, postingTime };
}

/** Reads the ids of a transaction. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readTransactionIds(request: VoidRequest) {
  return checkShape(idsRequest, request, 'body');
}
