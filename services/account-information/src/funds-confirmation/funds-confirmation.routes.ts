import { ApiError } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import { type AccountData, type Caller, callerOf } from '../accounts/account.model.ts';
import { requireAccount } from '../accounts/account.repository.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import {
  fundsAnswer,
  fundsAnswerExample,
  fundsBody,
  fundsBodyExample,
  fundsQuery,
  type FundsQuestion,
  readFundsQuestion,
} from './funds-question.wire.ts';
import { MAX_QUESTIONS } from './question-limit.model.ts';
import { countQuestion } from './question-limit.repository.ts';

/** Routes that confirm funds on an account (§2.13, §4.3). */
export function fundsConfirmationRoutes(deps: { accountData: AccountData; db: Db }): Route[] {
  const { accountData, db } = deps;
  const answer = async (token: Omit<Caller, 'role'>, { accountId, amount, place }: FundsQuestion) => {
    const caller = await accountData.ensure(callerOf(token, 'PSP_PI'));
    const { available, currency } = await requireAccount(db, caller, accountId);
    if (currency !== amount.currency)
      throw new ApiError('FORMAT_ERROR', TEXTS('other-currency'), {
        details: [{ path: `${place}currency`, text: TEXTS('must-be', { value: currency }) }],
      });
    await requireQuestion(db, { clientId: caller.clientId, accountId });
    return { status: 200, json: { fundsAvailable: available >= amount.minorUnits } } as const;
  };
  const common = {
    path: '/funds-confirmation',
    clause: ['§4.3', '§2.13', '§5.4'],
    security: { kind: 'token', scope: 'PSP_PI' },
    answers: {
      200: { description: 'Whether the funds suffice.', json: fundsAnswer, example: fundsAnswerExample },
    },
    refusals: ['RESOURCE_UNKNOWN', 'RATE_LIMITED'],
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Confirm the funds of an account',
      description: `Send the values in the body or in the query, not in both. A client may send ${MAX_QUESTIONS} requests about an account in an hour; more are rejected with 429 and Retry-After.`,
      query: fundsQuery,
      body: { json: fundsBody, optional: true, example: fundsBodyExample },
      handler: async ({ principal: { token }, query, body }) => answer(token, readFundsQuestion(query, body)),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Confirm the funds of an account, with a body',
      description: 'The same as GET, with the same limit.',
      body: { json: fundsBody, example: fundsBodyExample },
      handler: async ({ principal: { token }, body }) => answer(token, readFundsQuestion(undefined, body)),
    }),
  ];
}

/** Limits the questions: many well-chosen amounts would reveal the available amount. @throws ApiError RATE_LIMITED */
async function requireQuestion(db: Db, about: Parameters<typeof countQuestion>[1]): Promise<void> {
  const { questions, secondsLeft } = await countQuestion(db, about);
  if (questions > MAX_QUESTIONS)
    throw new ApiError('RATE_LIMITED', TEXTS('funds-questions', { most: MAX_QUESTIONS }), {
      retryAfterSeconds: secondsLeft,
    });
}
