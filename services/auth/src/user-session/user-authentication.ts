import { ApiError } from '@kontoport/errors';
import { askBank, call, isUnknownToBank } from '@kontoport/grpc';
import { singleLineText, uuid } from '@kontoport/http';
import type { ConsentsServiceClient, User } from '@kontoport/proto/accounts/v1';
import type { StartLoginRequest, UserLoginServiceClient } from '@kontoport/proto/bank/v1';
import { z } from 'zod';
import { USERS_DEADLINE_MS } from '../accounts/user-accounts.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';

/**
 * A user of the bank: a UUID, a display name, the value of `login_hint` that identifies the user, and whether the user
 * refuses consents without a page.
 */
export type BankUser = Pick<User, 'userId' | 'name'> & Partial<Pick<User, 'loginHint' | 'refusesConsent'>>;

/** The bank's own login: the browser visits it, and returns with a code. */
export interface BankLogin {
  /** Starts a login. @returns the address for the browser @throws ApiError UNAVAILABLE */
  start(login: StartLoginRequest, signal: AbortSignal): Promise<string>;
  /** Returns the logged-in user; undefined for a code of another or an ended login. @throws ApiError UNAVAILABLE */
  complete(login: { loginId: string; code: string }, signal: AbortSignal): Promise<BankUser | undefined>;
}

/** Authenticates the users of the pages. */
export interface UserAuthentication {
  /** Lists the simulated users for a choice by name, in the bank's order; empty when the bank logs its users in. */
  usersFor(clientId: string, signal?: AbortSignal): Promise<readonly BankUser[]>;
  /** Finds a user by id; undefined for an unknown one, and for one of another client. */
  findUser(user: { clientId: string; userId: string }, signal?: AbortSignal): Promise<BankUser | undefined>;
  /** Absent when users are chosen by name. */
  login?: BankLogin;
}

/** The simulated users of the sandbox: anybody may choose one (§Sandbox). */
export function simulatedUsers({ consents }: { consents: ConsentsServiceClient }): UserAuthentication {
  const usersFor: UserAuthentication['usersFor'] = async (clientId, signal) => {
    const options = { deadlineMs: USERS_DEADLINE_MS, ...(signal && { signal }) };
    const { users } = await call(consents, consents.listUsers, { clientId }, options);
    return users;
  };
  return {
    usersFor,
    async findUser({ clientId, userId }, signal) {
      return (await usersFor(clientId, signal)).find((each) => each.userId === userId);
    },
  };
}

const LONGEST_LOGIN_URL = 12_000;

const bankUser = z.object({ userId: uuid, name: singleLineText(140) });
const loginUrl = z.url({ protocol: /^https?$/ }).max(LONGEST_LOGIN_URL);

/** The users of the bank, which logs them in itself. */
export function bankUsers({ login }: { login: UserLoginServiceClient }): UserAuthentication {
  return {
    usersFor: async () => [],
    async findUser({ userId }, signal) {
      const found = await orUndefined(askBank(login, login.getUser, { userId }, signal && { signal }));
      return found && read(bankUser, found.user);
    },
    login: {
      async start(request, signal) {
        return read(loginUrl, (await askBank(login, login.startLogin, request, { signal })).loginUrl);
      },
      async complete(request, signal) {
        const done = await orUndefined(askBank(login, login.completeLogin, request, { signal }));
        return done && read(bankUser, done.user);
      },
    },
  };
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isUnknownToBank(error)) return undefined;
    throw error;
  }
}

/** Checks an answer of the bank. @throws ApiError UNAVAILABLE when it violates the interface */
function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ApiError('UNAVAILABLE', PAGE_TEXTS('bank-unclear'), { cause: result.error });
}
