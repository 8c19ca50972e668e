import { fault, rule, type Text } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import { type Money, MoneyFormatError, parseBookedMoney } from '@kontoport/money';
import type { CardTransaction, Party as PartyMessage } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import {
  ACCOUNT_SCHEMES,
  CARD_ENTRY_MODES,
  type CardTransactionInfo,
  type Party,
  WALLET_PROVIDERS,
} from '../transactions/transaction.model.ts';
import { LEDGER_TEXTS } from './texts.ts';
import { REFERENCE, transactionIdOf } from './transaction-name.model.ts';

// Shared parts of the feed's requests. Absent fields are empty, zero or undefined.

/** Adds a fault to an issue at `path`. Returns `z.NEVER`, for use in a transform. */
export function issueAt(context: z.RefinementCtx, path: string[], text: Text): never {
  context.addIssue({ code: 'custom', path, ...fault(text) });
  return z.NEVER;
}

/** A text of at most `most` characters that PostgreSQL can store. */
export const text = (most: number) =>
  z
    .string()
    .max(most, rule(TEXTS('too-long', { most })))
    .refine(isStorable, rule(TEXTS('not-storable')));

/** PostgreSQL stores neither NUL nor half a surrogate pair in a text. */
function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** A value of a closed list, or none. */
export const oneOf = <const V extends readonly string[]>(values: V) =>
  z.enum(['', ...values], rule(TEXTS('one-of', { values: values.join(', ') })));

export const bic = z.string().regex(/^([A-Z0-9]{8}([A-Z0-9]{3})?)?$/, rule(TEXTS('not-bic')));

/** An amount of the books; zero is valid. */
export const amount = z.object({ value: z.string(), currency: z.string() }).transform((given, context) => {
  try {
    return parseBookedMoney(given.value, given.currency);
  } catch (error) {
    if (!(error instanceof MoneyFormatError)) throw error;
    return issueAt(context, ['value'], error.text);
  }
});

/** Amount of a transaction; zero is a fault. */
export const movement = amount.transform((money: Money, context) =>
  money.minorUnits === 0n ? issueAt(context, ['value'], TEXTS('zero')) : money,
);

export const time = z
  .date(rule(TEXTS('not-time')))
  .min(new Date('1970-01-01T00:00:00Z'), rule(TEXTS('too-early')))
  .max(new Date('9999-12-31T23:59:59Z'), rule(TEXTS('too-late')));

/** The fields that identify a transaction in every request; see `named`. */
export const names = { transactionId: z.string(), reference: z.string(), accountId: uuid };

/** Replaces id and reference by the transaction's id, given or derived from the bank's reference (ADR-0019). */
export function named<T extends { transactionId: string; reference: string; accountId: string }>(
  given: T,
  context: z.RefinementCtx,
): Omit<T, 'reference'> {
  const { reference, ...rest } = given;
  const { transactionId, accountId } = given;
  if ((transactionId === '') === (reference === ''))
    return issueAt(context, ['transactionId'], LEDGER_TEXTS('id-or-reference'));
  if (reference === '') {
    const { success, data } = uuid.safeParse(transactionId);
    return success
      ? { ...rest, transactionId: data }
      : issueAt(context, ['transactionId'], LEDGER_TEXTS('not-uuid'));
  }
  if (!REFERENCE.test(reference)) return issueAt(context, ['reference'], LEDGER_TEXTS('not-reference'));
  return { ...rest, transactionId: transactionIdOf({ accountId, reference }) };
}

/** A debtor or creditor (§2.5). */
export const party = z
  .object({
    name: text(140),
    address: text(500),
    accountScheme: oneOf(ACCOUNT_SCHEMES),
    accountIdentification: text(70),
    bic,
  })
  .refine((given) => (given.accountScheme === '') === (given.accountIdentification === ''), {
    path: ['accountIdentification'],
    message: rule(TEXTS('with-scheme')),
  })
  .transform(readParty);

function readParty(message: PartyMessage): Party {
  const { name, address, accountScheme, accountIdentification, bic: bank } = message;
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
    ...(bank === '' ? {} : { bic: bank }),
  };
}

/** Card data of a transaction (§2.6). */
export const card = z
  .object({
    merchantName: text(140),
    merchantCategoryCode: z
      .number()
      .int()
      .min(0)
      .max(9_999, rule(LEDGER_TEXTS('not-mcc'))),
    cardEntryMode: oneOf(CARD_ENTRY_MODES),
    walletProvider: oneOf(WALLET_PROVIDERS),
    isAtm: z.boolean(),
    merchantCity: text(100),
    merchantCountry: z.string().regex(/^([A-Z]{2})?$/, rule(LEDGER_TEXTS('not-country'))),
  })
  .transform(readCard);

function readCard(message: CardTransaction): CardTransactionInfo {
  const { merchantName, merchantCategoryCode, isAtm } = message;
  const { merchantCity: city, merchantCountry: country } = message;
  const cardEntryMode = message.cardEntryMode as (typeof CARD_ENTRY_MODES)[number] | '';
  const walletProvider = message.walletProvider as (typeof WALLET_PROVIDERS)[number] | '';
  const location = { ...(city === '' ? {} : { city }), ...(country === '' ? {} : { country }) };
  return {
    ...(merchantName === '' ? {} : { merchantName }),
    ...(merchantCategoryCode === 0 ? {} : { merchantCategoryCode }),
    ...(cardEntryMode === '' ? {} : { cardEntryMode }),
    ...(walletProvider === '' ? {} : { walletProvider }),
    ...(isAtm ? { isAtm } : {}),
    ...(Object.keys(location).length === 0 ? {} : { merchantLocation: location }),
  };
}

const MAX_ENTRIES = 20;

/** Identifiers of many kinds (§2.4), sorted by their keys. */
export const additionalInformation = z
  .record(text(64).min(1, rule(TEXTS('empty'))), text(256))
  .refine(
    (map) => Object.keys(map).length <= MAX_ENTRIES,
    rule(TEXTS('too-many-entries', { most: MAX_ENTRIES })),
  )
  .transform((map) =>
    Object.fromEntries(Object.entries(map).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );

/** 11 to 14 characters (§2.4, §8), or none. */
export const recipientBban = z.string().regex(/^([0-9A-Z]{11,14})?$/, rule(TEXTS('not-bban')));

/** The conversion of one amount to the other (§2.4), or nothing. A JSON number has 15 significant digits. */
export const exchangeRate = z
  .string()
  .refine(
    (given) =>
      given === '' ||
      (/^\d{1,15}(\.\d{1,14})?$/.test(given) && given.replace('.', '').length <= 15 && Number(given) > 0),
    rule(LEDGER_TEXTS('not-rate')),
  );
