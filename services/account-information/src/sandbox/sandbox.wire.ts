import { randomUUID } from 'node:crypto';
import { ApiError, fault, rule } from '@kontoport/errors';
import { instant, uuid } from '@kontoport/http';
import { formatMoney, type Money, MoneyFormatError, parseMoney } from '@kontoport/money';
import { PostRequest } from '@kontoport/proto/accounts/v1';
import { type Trigger, TRIGGER_KINDS } from '@kontoport/sandbox-triggers';
import { z } from 'zod';
import { amountAnswer, exactAmount } from '../amount.wire.ts';
import type { Posting } from '../ledger/posting.model.ts';
import { readPosting } from '../ledger/posting.wire.ts';
import { TEXTS } from '../texts.ts';
import { ACCOUNT_SCHEMES, TRANSACTION_TYPES } from '../transactions/transaction.model.ts';
import { parseDuration } from './duration.model.ts';
import { type Clock, DUE_OUTCOMES, isReservedId } from './simulation.model.ts';

/** Answer to `GET /sandbox/accounts`. */
export const sandboxAccountsAnswer = z
  .object({
    accounts: z
      .array(
        z.object({
          id: z.guid().meta({ description: 'Identifies the account in all other calls.' }),
          name: z.string().meta({ description: 'A name for people.' }),
          bban: z.string().meta({ description: 'The domestic account number.' }),
          currency: z.string().meta({ description: 'ISO 4217, three letters.' }),
          supportsPayments: z
            .boolean()
            .meta({ description: 'Whether payments may start from this account.' }),
        }),
      )
      .meta({ description: 'The simulated accounts of the organization.' }),
  })
  .meta({ id: 'SandboxAccounts' });

/** Bound of the answer; the table is much shorter. */
const MAX_TRIGGERS = 200;

/** Answer to `GET /sandbox/triggers`. */
export const triggersAnswer = z
  .object({
    triggers: z
      .array(
        z.object({
          kind: z.string().meta({
            description: `The part of the interface: ${TRIGGER_KINDS.join(', ')}; more may be added.`,
          }),
          name: z.string().meta({ description: 'A stable name.' }),
          values: z.record(z.string(), z.string()).meta({
            description:
              'Fields or headers of a request with the value that triggers the effect. Of a webhook: the operation, or the status of the answer of the callback.',
          }),
          effect: z.string().meta({ description: 'The effect, in English.' }),
          status: z.string().optional().meta({ description: 'The resulting status.' }),
          errorCode: z.string().optional().meta({ description: 'The resulting error code.' }),
        }),
      )
      .max(MAX_TRIGGERS)
      .meta({ description: 'All triggers.' }),
  })
  .meta({ id: 'SandboxTriggers' });

/** The columns that triggers of all kinds have. */
export function triggerToWire({ kind, name, values, effect, status, errorCode }: Trigger) {
  return {
    kind,
    name,
    values: { ...values },
    effect,
    ...(status !== undefined && { status }),
    ...(errorCode !== undefined && { errorCode }),
  };
}

export const triggersExample = {
  triggers: [
    {
      kind: 'payment',
      name: 'funds-insufficient',
      values: { receiverAccountBban: '66959000000008', receiverGiroNumber: '99900086' },
      effect: 'The funds do not cover the payment, whatever the balance.',
      status: 'REJECTED',
      errorCode: 'FUNDS_INSUFFICIENT',
    },
  ],
} satisfies z.input<typeof triggersAnswer>;

const DURATION = 'ISO 8601, such as P3D, PT36H or P1M, or a number of seconds';

const duration = z.union([z.string(), z.number()]).transform((given, context) => {
  const parsed = parseDuration(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', ...fault(TEXTS('not-duration')) });
  return z.NEVER;
});

/** The body of `POST /sandbox/clock`. */
export const advanceBody = z.strictObject({
  advance: duration
    .refine(({ months, milliseconds }) => months > 0 || milliseconds > 0, rule(TEXTS('not-positive')))
    .meta({ description: `The time by which the clock advances: ${DURATION}.` }),
});

export const clockAnswer = z
  .object({
    now: z.iso.datetime({ precision: 3 }).meta({ description: "The time of the simulated bank's clock." }),
    aheadSeconds: z.int().meta({ description: 'The lead over real time.' }),
  })
  .meta({ id: 'SandboxClock' });

export function clockToWire({ now, offsetMs }: Clock): z.input<typeof clockAnswer> {
  return { now: now.toISOString(), aheadSeconds: Math.floor(offsetMs / 1_000) };
}

const party = z
  .strictObject({
    name: z.string().optional().meta({ description: 'The name of the party.' }),
    address: z.string().optional().meta({ description: 'The postal address in one text.' }),
    account: z
      .strictObject({
        scheme: z.enum(ACCOUNT_SCHEMES).meta({ description: 'The kind of the number.' }),
        identification: z.string().min(1).max(70).meta({ description: 'The account number in that scheme.' }),
      })
      .optional()
      .meta({ description: 'The account of the party.' }),
    bic: z.string().optional().meta({ description: "The SWIFT/BIC code of the party's bank." }),
  })
  .transform(({ account, ...rest }) => ({
    ...rest,
    ...(account === undefined
      ? {}
      : { accountScheme: account.scheme, accountIdentification: account.identification }),
  }));

const AMOUNT = 'Not zero, in the currency of the account; outgoing amounts are negative.';

/** A signed amount; faults are reported at their fields. */
function readAmount(
  { amount, currency }: { amount: number; currency: string },
  context: z.RefinementCtx,
): Money {
  try {
    const money = parseMoney(String(amount), currency);
    if (money.minorUnits !== 0n) return money;
    context.addIssue({ code: 'custom', path: ['amount'], ...fault(TEXTS('zero')) });
  } catch (error) {
    if (!(error instanceof MoneyFormatError)) throw error;
    context.addIssue({ code: 'custom', path: ['amount'], ...fault(error.text) });
  }
  return z.NEVER;
}

const money = {
  amount: z.number().meta({ description: AMOUNT }),
  currency: z.string().meta({ description: 'The currency of the account; ISO 4217, three letters.' }),
};

const transaction = {
  transactionId: uuid
    .refine((id) => !isReservedId(id), rule(TEXTS('reserved-id')))
    .optional()
    .meta({
      description:
        'A random UUID. Version 5 is reserved for synthetic transactions, and an id in use is rejected. A repetition changes nothing. Default: a generated id.',
    }),
  ...money,
  title: z.string().optional().meta({ description: 'One short line: the merchant or other party.' }),
  type: z.enum(TRANSACTION_TYPES).default('unknown').meta({ description: 'The kind of transaction.' }),
  transactionTime: instant('down')
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'Default: now, by the clock of the simulated bank.' }),
  message: z.string().optional().meta({ description: 'The payment reference.' }),
  debtor: party.optional().meta({ description: 'The party that pays.' }),
  creditor: party.optional().meta({ description: 'The party that is paid.' }),
  additionalInformation: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Identifiers of many kinds, such as `ocr`.' }),
  requireFunds: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the bank rejects a debit beyond the available amount.' }),
};

const withMoney = <T extends { amount: number; currency: string }>(
  { amount, currency, ...rest }: T,
  context: z.RefinementCtx,
) => ({ ...rest, money: readAmount({ amount, currency }, context) });

/** The body of a posting. */
export const postingBody = z.strictObject(transaction).transform(withMoney);

/** Longest wait of an authorization in days. */
const MAX_WAIT_DAYS = 366;

/** The body of an authorization. */
export const authorizationBody = z
  .strictObject({
    ...transaction,
    ends: z
      .strictObject({
        outcome: z.enum(DUE_OUTCOMES).meta({ description: 'Whether it is posted or fails.' }),
        after: duration
          .refine(
            ({ months, milliseconds }) => months === 0 && milliseconds <= MAX_WAIT_DAYS * 86_400_000,
            rule(TEXTS('too-long-wait', { days: MAX_WAIT_DAYS })),
          )
          .meta({ description: 'The time until then.' }),
      })
      .prefault({ outcome: 'settle', after: 'P2D' })
      .meta({
        description: `Its automatic end, and the time of it by the clock of the simulated bank (${DURATION}; no months).`,
      }),
  })
  .transform(withMoney);

/** The body of a settlement. */
export const settlementBody = z.strictObject(money).transform(readAmount);

/** @throws ApiError FORMAT_ERROR unless the amount is in the account's currency */
export function requireCurrencyOf({ currency }: { currency: string }, amount: Money): void {
  if (amount.currency === currency) return;
  throw new ApiError('FORMAT_ERROR', TEXTS('other-currency'), {
    details: [{ path: 'currency', text: TEXTS('must-be', { value: currency }) }],
  });
}

/** Builds a ledger posting with the checks of the bank's feed. @throws ApiError FORMAT_ERROR */
export function postingOf(
  given: z.output<typeof postingBody>,
  account: { id: string; currency: string },
): Posting {
  requireCurrencyOf(account, given.money);
  const { money: amount, transactionId = randomUUID(), ...rest } = given;
  return readPosting(
    PostRequest.fromPartial({
      ...rest,
      transactionId,
      accountId: account.id,
      amount: { value: formatMoney(amount), currency: amount.currency },
    } as Parameters<typeof PostRequest.fromPartial>[0]),
  );
}

export const bookedAnswer = z
  .object({
    transactionId: z.guid().meta({ description: 'The id of the transaction.' }),
    postingTime: z.iso
      .datetime({ precision: 3 })
      .meta({ description: 'The time of the booking, by the clock of the simulated bank.' }),
    accountBalanceAfterTransaction: amountAnswer,
  })
  .meta({ id: 'SandboxPosting' });

export function bookedToWire(
  transactionId: string,
  { postingTime, balanceAfter, currency }: { postingTime: Date; balanceAfter: bigint; currency: string },
) {
  return {
    transactionId,
    postingTime: postingTime.toISOString(),
    accountBalanceAfterTransaction: { amount: exactAmount(balanceAfter, currency), currency },
  };
}

export const authorizedAnswer = z
  .object({ transactionId: z.guid().meta({ description: 'The id of the transaction.' }) })
  .meta({ id: 'SandboxAuthorization' });

const exampleId = '7f2d9a10-3c4b-4e6f-8a90-1b2c3d4e5f60';

export const examples = {
  accounts: {
    accounts: [
      {
        id: '8c5304e2-96e4-5551-b4af-bc6c60e97825',
        name: 'Lønkonto',
        bban: '66950001234567',
        currency: 'DKK',
        supportsPayments: true,
      },
    ],
  } satisfies z.input<typeof sandboxAccountsAnswer>,
  advance: { advance: 'P3D' } satisfies z.input<typeof advanceBody>,
  clock: { now: '2026-03-17T09:15:00.000Z', aheadSeconds: 259_200 } satisfies z.input<typeof clockAnswer>,
  posting: {
    amount: -249.95,
    currency: 'DKK',
    title: 'Nordlys Dagligvarer',
    type: 'card',
  } satisfies z.input<typeof postingBody>,
  authorization: {
    amount: -249.95,
    currency: 'DKK',
    title: 'Nordlys Dagligvarer',
    type: 'card',
    ends: { outcome: 'settle', after: 'P1D' },
  } satisfies z.input<typeof authorizationBody>,
  settlement: { amount: -239.5, currency: 'DKK' } satisfies z.input<typeof settlementBody>,
  booked: {
    transactionId: exampleId,
    postingTime: '2026-03-14T09:15:02.120Z',
    accountBalanceAfterTransaction: { amount: 18092.8, currency: 'DKK' },
  } satisfies z.input<typeof bookedAnswer>,
  authorized: { transactionId: exampleId } satisfies z.input<typeof authorizedAnswer>,
};
