import { ApiError } from '@kontoport/errors';
import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import {
  type CompleteLoginRequest,
  type CompleteLoginResponse,
  type GetUserRequest,
  type GetUserResponse,
  type StartLoginRequest,
  type StartLoginResponse,
  UserLoginServiceService,
} from '@kontoport/proto/bank/v1';
import type { Proofs } from './proofs.ts';
import { TEXTS } from './texts.ts';
import { type BankUser, findUser } from './users.ts';

const LOGIN_MS = 15 * 60_000;
const CODE_MS = 60_000;

/** A login under way. The address of its page contains it. */
export interface Login {
  loginId: string;
  returnUrl: string;
  clientName: string;
}

/** Logins of the bank's users. The bank stores nothing of them. */
export class Logins {
  readonly #proofs: Proofs;
  readonly #pagesUrl: () => string;
  readonly #userUrl: string;

  constructor(options: { proofs: Proofs; pagesUrl: () => string; userUrl: string }) {
    this.#proofs = options.proofs;
    this.#pagesUrl = options.pagesUrl;
    this.#userUrl = options.userUrl;
  }

  /** Returns the address of the login page. @throws ApiError FORMAT_ERROR for a return address outside of Kontoport */
  begin({ loginId, returnUrl, clientName }: Login, now: number): string {
    if (loginId === '' || !returnUrl.startsWith(`${this.#userUrl}/`))
      throw new ApiError('FORMAT_ERROR', TEXTS('malformed'));
    const login: Login = { loginId, returnUrl, clientName };
    return `${this.#pagesUrl()}/login?of=${this.#proofs.make('login', login, now + LOGIN_MS)}`;
  }

  /** Reads the login from an address. */
  read(text: string, now: number): Login | undefined {
    return this.#proofs.read('login', text, now) as Login | undefined;
  }

  /** Returns the return address: with a code, or without a user. */
  end({ loginId, returnUrl }: Login, user: BankUser | undefined, now: number): string {
    const back = new URL(returnUrl);
    if (user === undefined) back.searchParams.set('error', 'access_denied');
    else
      back.searchParams.set(
        'code',
        this.#proofs.make('code', { loginId, userId: user.userId }, now + CODE_MS),
      );
    return back.href;
  }

  /** Returns the user who logged in, by a code of this login. */
  complete({ loginId, code }: CompleteLoginRequest, now: number): BankUser | undefined {
    const made = this.#proofs.read('code', code, now) as { loginId: string; userId: string } | undefined;
    return made?.loginId === loginId ? findUser(made.userId) : undefined;
  }
}

/** UserLoginService. */
export function loginRpc({ logins, logger }: { logins: Logins; logger: Logger }): Rpc {
  const present = (user: BankUser | undefined): { user: { userId: string; name: string } } => {
    if (user === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('unknown'));
    return { user: { userId: user.userId, name: user.name } };
  };
  return defineRpc({
    definition: UserLoginServiceService,
    allowedCallers: { startLogin: ['auth'], completeLogin: ['auth'], getUser: ['auth'] },
    implementation: {
      startLogin: unary<StartLoginRequest, StartLoginResponse>(logger, async (request) => ({
        loginUrl: logins.begin(request, Date.now()),
      })),
      completeLogin: unary<CompleteLoginRequest, CompleteLoginResponse>(logger, async (request) =>
        present(logins.complete(request, Date.now())),
      ),
      getUser: unary<GetUserRequest, GetUserResponse>(logger, async ({ userId }) =>
        present(findUser(userId)),
      ),
    },
  });
}
