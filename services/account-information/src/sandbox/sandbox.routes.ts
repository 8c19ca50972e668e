import { ApiError } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { type AccountData, accountUnknown, type PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Posting } from '../ledger/posting.model.ts';
import { TEXTS } from '../texts.ts';
import { transactionUnknown } from '../transactions/transaction.model.ts';
import { findClock } from './clock.repository.ts';
import { createDrive, type Drive } from './drive-account.ts';
import { findSandboxAccounts, requireSandboxAccount } from './sandbox-account.repository.ts';
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
} from './sandbox.wire.ts';
import type { Simulation } from './simulation.ts';

/** Any token of the client: what it drives is its own copy. */
const ANY_TOKEN = { kind: 'token' } as const;
const BOUNDS = ['RATE_LIMITED', 'STATUS_INVALID'] as const;

interface SandboxDeps {
  accountData: AccountData;
  db: Db;
  simulation: Simulation;
}

/** What drives a client's copy of the simulated accounts (§Sandbox); in other environments there is none of it. */
export function sandboxRoutes(deps: SandboxDeps & Parameters<typeof createDrive>[0]): Route[] {
  const drive = createDrive(deps);
  return [
    accountsRoute(deps),
    postingRoute(deps, drive),
    authorizationRoute(deps, drive),
    settlementRoute(deps, drive),
    failureRoute(deps, drive),
    ...clockRoutes(deps, drive),
  ];
}

/** The account of the path, when it is one of the caller's copy. */
const ofPath = ({ accountData, db }: SandboxDeps) =>
  ({
    params: z.object({ accountId: uuid }),
    unknown: accountUnknown,
    resource: async ({ proven: { token }, params: { accountId } }: PathRequest<{ accountId: string }>) => {
      const caller = await accountData.ensure(token);
      return { caller, account: await requireSandboxAccount(db, caller, accountId) };
    },
  }) as const;

/** The transaction of the path; whether the account has it, the ledger says. */
const ofTransaction = (deps: SandboxDeps) =>
  ({
    ...ofPath(deps),
    params: z.object({ accountId: uuid, transactionId: uuid }),
    unknown: transactionUnknown,
  }) as const;

interface PathRequest<Params> {
  proven: { token: { clientId: string } };
  params: Params;
}

function accountsRoute({ accountData, db }: SandboxDeps): Route {
  return route({
    method: 'GET',
    path: '/sandbox/accounts',
    clause: ['§Sandbox', '§5.4'],
    summary: "List the client's simulated accounts",
    description:
      'With any token of the client, so that who holds `PSP_PI` alone learns account ids. No amounts.',
    security: ANY_TOKEN,
    answers: {
      200: { description: 'The accounts.', json: sandboxAccountsAnswer, example: examples.accounts },
    },
    handler: async ({ proven: { token } }) => {
      const accounts = await findSandboxAccounts(db, await accountData.ensure(token));
      return { status: 200, json: { accounts } };
    },
  });
}

function postingRoute(deps: SandboxDeps, drive: Drive): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/postings',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Post a transaction on a simulated account',
    description: 'As if it had happened at the bank: it is in the lists at once, and webhooks tell of it.',
    security: ANY_TOKEN,
    ...ofPath(deps),
    body: { json: postingBody, example: examples.posting },
    answers: { 201: { description: 'It is posted.', json: bookedAnswer, example: examples.booked } },
    refusals: [...BOUNDS, 'DUPLICATE_ID', 'FUNDS_INSUFFICIENT'],
    handler: async ({ resource: { caller, account }, body }) => {
      const posting = postingOf(body, account);
      await requireBegun(deps, caller, posting);
      const booked = await drive.post(caller, posting);
      return { status: 201, json: bookedToWire(posting.transactionId, booked) };
    },
  });
}

function authorizationRoute(deps: SandboxDeps, drive: Drive): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Hold an amount on a simulated account',
    description:
      'Pending until it is settled or fails: by the routes beneath, or by itself. At most 100 are pending.',
    security: ANY_TOKEN,
    ...ofPath(deps),
    body: { json: authorizationBody, example: examples.authorization },
    answers: { 201: { description: 'It is pending.', json: authorizedAnswer, example: examples.authorized } },
    refusals: [...BOUNDS, 'DUPLICATE_ID', 'FUNDS_INSUFFICIENT'],
    handler: async ({ resource: { caller, account }, body }) => {
      const { ends, ...given } = body;
      const posting = postingOf(given, account);
      await requireBegun(deps, caller, posting);
      await drive.authorize(caller, posting, { outcome: ends.outcome, afterMs: ends.after.milliseconds });
      deps.simulation.wake();
      return { status: 201, json: { transactionId: posting.transactionId } };
    },
  });
}

const DAY_MS = 86_400_000;

/** A transaction begins at most a day after what the client's clock shows. @throws ApiError FORMAT_ERROR */
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

function settlementRoute(deps: SandboxDeps, drive: Drive): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations/:transactionId/settle',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Settle a pending transaction of a simulated account',
    description: 'With the amount of the body, or as it was authorized.',
    security: ANY_TOKEN,
    ...ofTransaction(deps),
    body: { json: settlementBody, optional: true, example: examples.settlement },
    answers: { 200: { description: 'It is posted.', json: bookedAnswer, example: examples.booked } },
    refusals: BOUNDS,
    handler: async ({ resource: { caller, account }, params: { transactionId }, body: amount }) => {
      if (amount !== undefined) requireCurrencyOf(account, amount);
      const booked = await drive.settle(caller, { accountId: account.id, transactionId, amount });
      return { status: 200, json: bookedToWire(transactionId, booked) };
    },
  });
}

function failureRoute(deps: SandboxDeps, drive: Drive): Route {
  return route({
    method: 'POST',
    path: '/sandbox/accounts/:accountId/authorizations/:transactionId/fail',
    clause: ['§Sandbox', '§3.1'],
    summary: 'Let a pending transaction of a simulated account fail',
    description: 'It stands in no list any more and stays readable by its id, with `deleted`.',
    security: ANY_TOKEN,
    ...ofTransaction(deps),
    answers: { 204: { description: 'It has failed.' } },
    refusals: BOUNDS,
    handler: async ({ resource: { caller, account }, params: { transactionId } }) => {
      await drive.fail(caller, { accountId: account.id, transactionId });
      return { status: 204 };
    },
  });
}

function clockRoutes({ accountData, db, simulation }: SandboxDeps, drive: Drive): Route[] {
  const present = async (token: { clientId: string }): Promise<PresentClient> => accountData.ensure(token);
  const answers = { 200: { description: 'The clock.', json: clockAnswer, example: examples.clock } } as const;
  const common = { path: '/sandbox/clock', clause: '§Sandbox', security: ANY_TOKEN, answers } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: "Read the client's clock",
      handler: async ({ proven: { token } }) => ({
        status: 200,
        json: clockToWire(await findClock(db, await present(token))),
      }),
    }),
    route({
      ...common,
      method: 'POST',
      summary: "Move the client's clock on",
      description:
        'Pending transactions settle or fail, consents expire, and webhooks tell of what is posted. It never goes back, ' +
        'and ten years is as far as it goes. Tokens, certificates and signatures keep the real time.',
      body: { json: advanceBody, example: examples.advance },
      refusals: BOUNDS,
      handler: async ({ proven: { token }, body: { advance } }) => {
        const caller = await present(token);
        const moved = await drive.advance(caller, await findClock(db, caller), advance);
        simulation.wake();
        return { status: 200, json: clockToWire(moved) };
      },
    }),
  ];
}
