import { ApiError } from '@kontoport/errors';
import { askBank, call, isUnknownToBank } from '@kontoport/grpc';
import { singleLineText, uuid } from '@kontoport/http';
import type { ConsentsServiceClient, User } from '@kontoport/proto/accounts/v1';
import type { StartLoginRequest, UserLoginServiceClient } from '@kontoport/proto/bank/v1';
import { z } from 'zod';
import { USERS_DEADLINE_MS } from '../domain/authorization-request.model.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';

/** Someone who can say yes to a client: a UUID, a name for people, and the word that names the user in `login_hint`. */
export type BankUser = Pick<User, 'userId' | 'name'> & { loginHint?: string };

/** The bank's own login: the browser is sent there, and comes back with a code (ADR-0028). */
export interface BankLogin {
  /** Where the browser goes. @throws ApiError UNAVAILABLE */
  start(login: StartLoginRequest, signal: AbortSignal): Promise<string>;
  /** Who logged in; undefined for a code that is not of this login, or not any more. @throws ApiError UNAVAILABLE */
  complete(login: { loginId: string; code: string }, signal: AbortSignal): Promise<BankUser | undefined>;
}

/** Who sits at the browser. */
export interface UserAuthentication {
  /**
   * Those who are offered by name where a client asks, in the bank's order; without a page, the one who is named, or else the
   * first. Nobody where the bank logs its users in.
   */
  usersFor(clientId: string, signal?: AbortSignal): Promise<readonly BankUser[]>;
  /** A user whom the pages know by id; undefined for one that there is not, or not for this client. */
  findUser(user: { clientId: string; userId: string }, signal?: AbortSignal): Promise<BankUser | undefined>;
  /** Absent where users are offered by name. */
  login?: BankLogin;
}

/** The sandbox's users, whom anybody may be (§Sandbox). */
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

/** The bank's users, whom it logs in itself. */
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

/** What the bank says, as far as it keeps to the interface. @throws ApiError UNAVAILABLE */
function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ApiError('UNAVAILABLE', PAGE_TEXTS('bank-unclear'), { cause: result.error });
}
