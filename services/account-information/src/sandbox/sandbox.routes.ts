import { ApiError } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { TRIGGERS } from '@kontoport/sandbox-triggers';
import { z } from 'zod';
import { type AccountData, accountUnknown, type PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Posting } from '../ledger/posting.model.ts';
import { TEXTS } from '../texts.ts';
import { transactionUnknown } from '../transactions/transaction.model.ts';
import { findClock } from './clock.repository.ts';
import { findSandboxAccounts, requireSandboxAccount } from './sandbox-account.repository.ts';
import { createSandboxCommands, type SandboxCommands } from './sandbox-commands.ts';
import {
  advanceBody,
  authorizationBody,
  authorizedAnswer,
  bookedAnswer,
  bookedToWire,
  clockAnswer,
  clockToWire,
  examples,
  postingBody,
  postingOf,
  requireCurrencyOf,
  sandboxAccountsAnswer,
  settlementBody,
  triggersAnswer,
  triggersExample,
  triggerToWire,
} from './sandbox.wire.ts';
import type { Simulation } from './simulation.ts';

/** Any token of the client controls the simulated bank of its organization. */
const ANY_TOKEN = { kind: 'token' } as const;
const BOUNDS = ['RATE_LIMITED', 'STATUS_INVALID'] as const;

interface SandboxDeps {
  accountData: AccountData;
  db: Db;
  simulation: Simulation;
}

/** Routes by which a client controls its simulated bank (§Sandbox). Other environments have none of them. */
export function sandboxRoutes(deps: SandboxDeps & Parameters<typeof createSandboxCommands>[0]): Route[] {
  const commands = createSandboxCommands(deps);
  return [
    accountsRoute(deps),
    postingRoute(deps, commands),
    authorizationRoute(deps, commands),
    settlementRoute(deps, commands),
    failureRoute(deps, commands),
    ...clockRoutes(deps, commands),
    resetRoute(deps, commands),
    triggersRoute,
  ];
}

/** Resolves the account of the path if it belongs to the caller's simulated bank. */
const ofPath = ({ accountData, db }: SandboxDeps) =>
  ({
    params: z.object({ accountId: uuid }),
    unknown: accountUnknown,
    resource: async ({ principal: { token }, params: { accountId } }: PathRequest<{ accountId: string }>) => {
      const caller = await accountData.ensure(token);
      return { caller, account: await requireSandboxAccount(db, caller, accountId) };
    },
  }) as const;

/** As `ofPath`, with a transaction. The ledger checks that it belongs to the account. */
const ofTransaction = (deps: SandboxDeps) =>
  ({
    ...ofPath(deps),
    params: z.object({ accountId: uuid, transactionId: uuid }),
    unknown: transactionUnknown,
  }) as const;

interface PathRequest<Params> {
  principal: { token: { clientId: string } };
  params: Params;
}

function accountsRoute({ accountData, db }: SandboxDeps): Route {
  return route({
    method: 'GET',
    path: '/sandbox/accounts',
    clause: ['§Sandbox', '§5.4'],
    summary: 'List the simulated accounts of the organization',
    description:
      'Accepts any token of the client, so that a client with `PSP_PI` alone gets account ids. The answer has no amounts.',
    security: ANY_TOKEN,
    answers: {
      200: { description: 'The accounts.', json: sandboxAccountsAnswer, example: examples.accounts },
    },
    handler: async ({ principal: { token } }) => {
      const accounts = await findSandboxAccounts(db, await accountData.ensure(token));
      return { status: 200, json: { accounts } };
    },
  });
}

function postingRoute(deps: SandboxDeps, commands: SandboxCommands): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/postings',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Post a transaction on a simulated account',
    description: 'Posts it as the bank would: the lists show it at once, and webhooks report it.',
    security: ANY_TOKEN,
    ...ofPath(deps),
    body: { json: postingBody, example: examples.posting },
    answers: { 201: { description: 'It is posted.', json: bookedAnswer, example: examples.booked } },
    refusals: [...BOUNDS, 'DUPLICATE_ID', 'FUNDS_INSUFFICIENT'],
    handler: async ({ resource: { caller, account }, body }) => {
      const posting = postingOf(body, account);
      await requireBegun(deps, caller, posting);
      const booked = await commands.post(caller, posting);
      return { status: 201, json: bookedToWire(posting.transactionId, booked) };
    },
  });
}

function authorizationRoute(deps: SandboxDeps, commands: SandboxCommands): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Hold an amount on a simulated account',
    description:
      'The transaction is pending until it settles or fails, by the routes below or automatically. A bank has at most 100 pending ones.',
    security: ANY_TOKEN,
    ...ofPath(deps),
    body: { json: authorizationBody, example: examples.authorization },
    answers: { 201: { description: 'It is pending.', json: authorizedAnswer, example: examples.authorized } },
    refusals: [...BOUNDS, 'DUPLICATE_ID', 'FUNDS_INSUFFICIENT'],
    handler: async ({ resource: { caller, account }, body }) => {
      const { ends, ...given } = body;
      const posting = postingOf(given, account);
      await requireBegun(deps, caller, posting);
      await commands.authorize(caller, posting, { outcome: ends.outcome, afterMs: ends.after.milliseconds });
      deps.simulation.wake();
      return { status: 201, json: { transactionId: posting.transactionId } };
    },
  });
}

const DAY_MS = 86_400_000;

/** Checks that a transaction begins at most a day after the time of the bank's clock. @throws ApiError FORMAT_ERROR */
async function requireBegun(
  { db }: SandboxDeps,
  caller: PresentClient,
  { transactionTime }: Posting,
): Promise<void> {
  if (transactionTime === undefined) return;
  const { now } = await findClock(db, caller);
  if (transactionTime.getTime() <= now.getTime() + DAY_MS) return;
  const text = TEXTS('after-clock');
  throw new ApiError('FORMAT_ERROR', TEXTS('field-fault', { field: 'transactionTime', fault: text }), {
    details: [{ path: 'transactionTime', text }],
  });
}

function settlementRoute(deps: SandboxDeps, commands: SandboxCommands): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations/:transactionId/settle',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Settle a pending transaction of a simulated account',
    description: 'It settles with the amount of the body, or with the authorized amount.',
    security: ANY_TOKEN,
    ...ofTransaction(deps),
    body: { json: settlementBody, optional: true, example: examples.settlement },
    answers: { 200: { description: 'It is posted.', json: bookedAnswer, example: examples.booked } },
    refusals: BOUNDS,
    handler: async ({ resource: { caller, account }, params: { transactionId }, body: amount }) => {
      if (amount !== undefined) requireCurrencyOf(account, amount);
      const booked = await commands.settle(caller, { accountId: account.id, transactionId, amount });
      return { status: 200, json: bookedToWire(transactionId, booked) };
    },
  });
}

function failureRoute(deps: SandboxDeps, commands: SandboxCommands): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations/:transactionId/fail',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Let a pending transaction of a simulated account fail',
    description: 'The transaction is in no list any more and stays readable by its id, with `deleted`.',
    security: ANY_TOKEN,
    ...ofTransaction(deps),
    answers: { 204: { description: 'It has failed.' } },
    refusals: BOUNDS,
    handler: async ({ resource: { caller, account }, params: { transactionId } }) => {
      await commands.fail(caller, { accountId: account.id, transactionId });
      return { status: 204 };
    },
  });
}

function clockRoutes({ accountData, db, simulation }: SandboxDeps, commands: SandboxCommands): Route[] {
  const present = async (token: { clientId: string }): Promise<PresentClient> => accountData.ensure(token);
  const answers = { 200: { description: 'The clock.', json: clockAnswer, example: examples.clock } } as const;
  const common = { path: '/sandbox/clock', clause: '§Sandbox', security: ANY_TOKEN, answers } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Read the clock of the simulated bank',
      handler: async ({ principal: { token } }) => ({
        status: 200,
        json: clockToWire(await findClock(db, await present(token))),
      }),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Advance the clock of the simulated bank',
      description:
        'For all clients of the organization: pending transactions settle or fail, consents expire, and webhooks report ' +
        'postings. The clock never goes back, and is at most ten years ahead. Tokens, certificates and signatures keep real time.',
      body: { json: advanceBody, example: examples.advance },
      refusals: BOUNDS,
      handler: async ({ principal: { token }, body: { advance } }) => {
        const caller = await present(token);
        const moved = await commands.advance(caller, await findClock(db, caller), advance);
        simulation.wake();
        return { status: 200, json: clockToWire(moved) };
      },
    }),
  ];
}

function resetRoute({ accountData }: SandboxDeps, commands: SandboxCommands): Route {
  return route({
    method: 'POST',
    path: '/sandbox/reset',
    clause: '§Sandbox',
    summary: 'Start the simulated bank over',
    description:
      'For all clients of the organization: accounts, balances, transactions, attachments and clock are those of the first ' +
      'day, under the same ids, and automatic consents that a user has withdrawn are granted again. Tokens, consents of ' +
      'users, drafts, payments, standing orders, webhook subscriptions and the daily counts of changes stay.',
    security: ANY_TOKEN,
    answers: { 204: { description: 'It has started over.' } },
    refusals: BOUNDS,
    handler: async ({ principal: { token } }) => {
      await commands.reset(await accountData.ensure({ clientId: token.clientId }));
      return { status: 204 };
    },
  });
}

const triggersRoute = route({
  method: 'GET',
  path: '/sandbox/triggers',
  clause: '§Sandbox',
  summary: 'List the test data that trigger special behaviour',
  description:
    'Account numbers, users, headers and fields to which the sandbox reacts in a special way, such as a receiver whose ' +
    'payments are rejected. Each field of `values` alone suffices. The list grows; `name` is stable.',
  security: ANY_TOKEN,
  answers: { 200: { description: 'The triggers.', json: triggersAnswer, example: triggersExample } },
  handler: async () => ({ status: 200, json: { triggers: TRIGGERS.map(triggerToWire) } }),
});
