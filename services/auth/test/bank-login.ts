import { randomBytes } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import {
  type CompleteLoginRequest,
  type CompleteLoginResponse,
  type GetUserRequest,
  type GetUserResponse,
  type StartLoginRequest,
  type StartLoginResponse,
  type User,
  UserLoginServiceService,
} from '@kontoport/proto/bank/v1';
import { said } from '@kontoport/testing/said';

/** The bank's login for auth: a gRPC server, and the functions of its pages. */
export interface LoginBank {
  address: string;
  /** All logins that were started. */
  begun: StartLoginRequest[];
  /** The known users; `away`: it answers no call. */
  users: Map<string, User>;
  away: boolean;
  /** The value of `login_url`. */
  loginUrl: string;
  /** Returns the code with which the browser returns after the login of this user. */
  codeFor(login: StartLoginRequest, userId: string): string;
  close(): Promise<void>;
}

export async function startLoginBank(): Promise<LoginBank> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const codes = new Map<string, { loginId: string; userId: string }>();
  const present = <T>(answer: T | undefined): T => {
    if (bank.away) throw new ApiError('INTERNAL_ERROR', said('away'));
    if (answer === undefined) throw new ApiError('RESOURCE_UNKNOWN', said('unknown'));
    return answer;
  };
  const implementation = {
    startLogin: unary<StartLoginRequest, StartLoginResponse>(logger, async (login) => {
      bank.begun.push(present(login));
      return { loginUrl: bank.loginUrl };
    }),
    completeLogin: unary<CompleteLoginRequest, CompleteLoginResponse>(logger, async ({ loginId, code }) => {
      const made = codes.get(code);
      const user = made?.loginId === loginId ? bank.users.get(made.userId) : undefined;
      return { user: present(user) };
    }),
    getUser: unary<GetUserRequest, GetUserResponse>(logger, async ({ userId }) => ({
      user: present(bank.users.get(userId)),
    })),
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [{ definition: UserLoginServiceService, implementation }],
  });
  const bank: LoginBank = {
    address: `127.0.0.1:${server.port}`,
    begun: [],
    users: new Map(),
    away: false,
    loginUrl: 'https://bank.test/login?of=this',
    codeFor({ loginId }, userId) {
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { loginId, userId });
      return code;
    },
    close: () => server.close(),
  };
  return bank;
}
