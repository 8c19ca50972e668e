import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as NetServer } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ApiError, defineTexts } from '@kontoport/errors';
import { unary } from '@kontoport/grpc';
import { formatMoney, parseMoney } from '@kontoport/money';
import {
  AccountAccessServiceService,
  type GetAccountRequest,
  GetAccountResponse,
  LedgerServiceService,
  PostRequest,
  PostResponse,
} from '@kontoport/proto/accounts/v1';
import { createLogger } from '@kontoport/runtime';

const TEXTS = defineTexts({
  'id-taken': { en: 'id taken', da: 'id optaget', sv: 'id upptaget', nb: 'id opptatt' },
  'no-account': { en: 'no account', da: 'ingen konto', sv: 'inget konto', nb: 'ingen konto' },
  'no-funds': {
    en: 'The available amount does not cover the amount.',
    da: 'Det disponible beløb dækker ikke beløbet.',
    sv: 'Det disponibla beloppet täcker inte beloppet.',
    nb: 'Det disponible beløpet dekker ikke beløpet.',
  },
  lost: { en: 'answer lost', da: 'svar tabt', sv: 'svar förlorat', nb: 'svar tapt' },
});

/** The account-information of a test: the real protocol over a ledger of a few accounts. */
export interface TestBank {
  port: number;
  /** Opens an account to a client. */
  addAccount(account: {
    clientId: string;
    currency?: string;
    available?: string;
    supportsPayments?: boolean;
    supportsTransfers?: boolean;
  }): string;
  /** Closes an account to its client, as a revoked consent does. */
  closeAccess(accountId: string): void;
  available(accountId: string): string;
  /** Every Post that arrived. */
  arrived: PostRequest[];
  /** Every transaction that was booked, once each. */
  booked: Map<string, PostRequest>;
  /** Lets calls of Post wait; the function handed back lets them go on. */
  hold(): () => void;
  /** Books, but fails to answer the next `count` times. */
  loseAnswers(count: number): void;
  /** Ends the server and every connection; whoever calls in the meantime is counted and cut off. */
  leave(): Promise<{ calls: () => number }>;
  /** Serves again on the same port. */
  comeBack(): Promise<void>;
  close(): void;
}

/** Starts the bank of one test file. */
export async function startBank(): Promise<TestBank> {
  const accounts = new Map<
    string,
    { clientId: string; access: boolean; details: GetAccountResponse; units: bigint }
  >();
  const arrived: PostRequest[] = [];
  const booked = new Map<string, PostRequest>();
  const logger = createLogger({ service: 'test bank', level: 'silent' });
  let held: Promise<void> | undefined;
  let answersToLose = 0;
  let server = new Server();
  let absent: NetServer | undefined;

  const post = async (request: PostRequest): Promise<PostResponse> => {
    arrived.push(request);
    await held;
    const known = booked.get(request.transactionId);
    const same =
      known && JSON.stringify(PostRequest.toJSON(known)) === JSON.stringify(PostRequest.toJSON(request));
    if (known && !same) throw new ApiError('DUPLICATE_ID', TEXTS('id-taken'));
    const account = accounts.get(request.accountId);
    if (!account) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
    if (!known) {
      const { minorUnits } = parseMoney(request.amount!.value, request.amount!.currency);
      if (request.requireFunds && account.units + minorUnits < 0n)
        throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
      account.units += minorUnits;
      booked.set(request.transactionId, request);
    }
    if (answersToLose > 0) {
      answersToLose -= 1;
      throw new ApiError('UNAVAILABLE', TEXTS('lost'));
    }
    return PostResponse.fromPartial({ transactionId: request.transactionId });
  };

  const getAccount = async ({ clientId, accountId }: GetAccountRequest): Promise<GetAccountResponse> => {
    const account = accounts.get(accountId);
    if (!account?.access || account.clientId !== clientId)
      throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
    return account.details;
  };

  const serve = (port: number): Promise<number> => {
    server = new Server();
    server.addService(LedgerServiceService, { post: unary(logger, post) });
    server.addService(AccountAccessServiceService, { getAccount: unary(logger, getAccount) });
    return new Promise((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
  };

  const port = await serve(0);
  return {
    port,
    arrived,
    booked,
    addAccount(account) {
      const { clientId, currency = 'DKK', available = '1000.00', supportsPayments = true } = account;
      const accountId = randomUUID();
      const details = GetAccountResponse.fromPartial({
        accountId,
        bban: '00400440116243',
        currency,
        supportsPayments,
        supportsTransfers: account.supportsTransfers ?? true,
        ownerName: 'Test Owner',
      });
      const { minorUnits: units } = parseMoney(available, currency);
      accounts.set(accountId, { clientId, access: true, details, units });
      return accountId;
    },
    closeAccess(accountId) {
      accounts.get(accountId)!.access = false;
    },
    available(accountId) {
      const { units, details } = accounts.get(accountId)!;
      return formatMoney({ minorUnits: units, currency: details.currency });
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    loseAnswers(count) {
      answersToLose = count;
    },
    async leave() {
      server.forceShutdown();
      let calls = 0;
      const cutOff = createServer((socket) => {
        calls += 1;
        socket.destroy();
      });
      absent = cutOff;
      cutOff.listen(port, '127.0.0.1');
      await once(cutOff, 'listening');
      return { calls: () => calls };
    },
    async comeBack() {
      absent?.close();
      if (absent) await once(absent, 'close');
      await serve(port);
    },
    close: () => server.forceShutdown(),
  };
}
