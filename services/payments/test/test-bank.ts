import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as NetServer } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ApiError, defineTexts } from '@kontoport/errors';
import { unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import { formatMoney, parseMoney } from '@kontoport/money';
import {
  AccountAccessServiceService,
  type ClientClock,
  ClientClockServiceService,
  type GetAccountRequest,
  GetAccountResponse,
  LedgerServiceService,
  type ListMovedClocksRequest,
  type ListMovedClocksResponse,
  PostRequest,
  PostResponse,
  type PutAccountRequest,
  PutAccountResponse,
  type VoidRequest,
  type VoidResponse,
} from '@kontoport/proto/accounts/v1';

const TEXTS = defineTexts({
  'id-taken': { en: 'id taken', da: 'id optaget', sv: 'id upptaget', nb: 'id opptatt' },
  booked: { en: 'booked', da: 'bogført', sv: 'bokförd', nb: 'bokført' },
  void: { en: 'void', da: 'ugyldig', sv: 'ogiltig', nb: 'ugyldig' },
  'no-account': { en: 'no account', da: 'ingen konto', sv: 'inget konto', nb: 'ingen konto' },
  'no-funds': { en: 'too little', da: 'for lidt', sv: 'för lite', nb: 'for lite' },
  lost: { en: 'answer lost', da: 'svar tabt', sv: 'svar förlorat', nb: 'svar tapt' },
});

/** The number of every account of this bank. */
const SENDER_BBAN = '00400440116251';

/** The owner of the accounts, unless another is given. */
export const USER = randomUUID();

interface Account {
  clientId: string;
  /** The consents that open it to tokens of users. */
  consentIds: readonly string[];
  /** Whether a consent opens it. */
  open: boolean;
  details: GetAccountResponse;
  minorUnits: bigint;
}

/** The account-information of a test: the real protocol over a ledger of a few accounts. */
export class TestBank {
  /** Every Post that arrived. */
  readonly arrived: PostRequest[] = [];
  /** Every account that was asked about. */
  readonly asked: string[] = [];
  /** Every transaction that was booked, once each. */
  readonly booked = new Map<string, PostRequest>();
  /** Ids that are out of use: voided, or refused for want of funds. */
  readonly #outOfUse = new Map<string, 'void' | 'no-funds'>();
  readonly #clocks: ClientClock[] = [];
  readonly #accounts = new Map<string, Account>();
  #held: { until: Promise<void>; accountIds: readonly string[] } | undefined;
  /** Calls of Post that are held, whose callers still wait. */
  readonly #hanging = new Set<PostRequest>();
  /** The number of its crashes: postings that were in flight then are never booked. */
  #absences = 0;
  #answersToLose = 0;
  #server = new Server();
  #absent: NetServer | undefined;
  #port = 0;

  get port(): number {
    return this.#port;
  }

  /** The number of transactions that are booked, voided or refused for insufficient funds. */
  get decided(): number {
    return this.booked.size + this.#outOfUse.size;
  }

  /** Serves, again on the same port after `leave`. */
  async serve(): Promise<void> {
    const logger = createLogger({ service: 'test bank', level: 'silent' });
    const server = new Server();
    server.addService(LedgerServiceService, {
      putAccount: unary<PutAccountRequest, PutAccountResponse>(logger, async ({ accountId }) =>
        PutAccountResponse.fromPartial({ accountId }),
      ),
      void: unary<VoidRequest, VoidResponse>(logger, (request) => this.#void(request)),
      post: unary<PostRequest, PostResponse>(logger, (request, { signal }) => this.#post(request, signal)),
    });
    server.addService(AccountAccessServiceService, {
      getAccount: unary<GetAccountRequest, GetAccountResponse>(logger, async (search) => this.#find(search)),
    });
    server.addService(ClientClockServiceService, {
      listMovedClocks: unary<ListMovedClocksRequest, ListMovedClocksResponse>(logger, async ({ since }) => {
        const from = since?.getTime() ?? 0;
        return { clocks: this.#clocks.filter(({ movedAt }) => movedAt!.getTime() >= from) };
      }),
    });
    this.#server = server;
    this.#port = await new Promise((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.#port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
  }

  /** Opens an account to a client. */
  addAccount(account: {
    clientId: string;
    currency?: string;
    available?: string;
    supportsPayments?: boolean;
    supportsTransfers?: boolean;
    consentIds?: readonly string[];
    userId?: string;
  }): string {
    const { clientId, currency = 'DKK', available = '1000.00', consentIds = [], userId = USER } = account;
    const { supportsPayments = true, supportsTransfers = true } = account;
    const accountId = randomUUID();
    const details = GetAccountResponse.fromPartial({
      accountId,
      bban: SENDER_BBAN,
      currency,
      supportsPayments,
      supportsTransfers,
      ownerName: 'Test Owner',
      userId,
    });
    const { minorUnits } = parseMoney(available, currency);
    this.#accounts.set(accountId, { clientId, consentIds, open: true, details, minorUnits });
    return accountId;
  }

  /** Sets a client's clock so far ahead of the real time. */
  moveClock(clientId: string, offsetMs: number): void {
    this.#clocks.push({ clientId, offsetMilliseconds: BigInt(offsetMs), movedAt: new Date() });
  }

  /** Closes an account to its client, as a revoked consent does. */
  closeAccess(accountId: string): void {
    this.#accounts.get(accountId)!.open = false;
  }

  available(accountId: string): string {
    const { minorUnits, details } = this.#accounts.get(accountId)!;
    return formatMoney({ minorUnits, currency: details.currency });
  }

  /** Holds calls of Post, or only those on the named accounts; the returned function releases them. */
  hold(...accountIds: string[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = { until: promise, accountIds };
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** The number of held calls of Post whose callers still wait. */
  get hanging(): number {
    return this.#hanging.size;
  }

  /** Books, but fails to answer the next `count` times. */
  loseAnswers(count: number): void {
    this.#answersToLose = count;
  }

  /** Ends the server and every connection; calls in the meantime are counted and cut off. */
  async leave(): Promise<{ calls: () => number }> {
    this.#absences += 1;
    this.#server.forceShutdown();
    let calls = 0;
    this.#absent = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    this.#absent.listen(this.#port, '127.0.0.1');
    await once(this.#absent, 'listening');
    return { calls: () => calls };
  }

  async comeBack(): Promise<void> {
    this.#absent?.close();
    if (this.#absent) await once(this.#absent, 'close');
    await this.serve();
  }

  close(): void {
    this.#server.forceShutdown();
  }

  async #post(request: PostRequest, signal: AbortSignal): Promise<PostResponse> {
    this.arrived.push(request);
    const absences = this.#absences;
    const { until, accountIds = [] } = this.#held ?? {};
    if (accountIds.length === 0 || accountIds.includes(request.accountId))
      await this.#hang(request, { until, signal });
    if (absences !== this.#absences) throw new ApiError('UNAVAILABLE', TEXTS('lost'));
    const known = this.booked.get(request.transactionId);
    if (known === undefined) this.#book(request);
    else if (JSON.stringify(PostRequest.toJSON(known)) !== JSON.stringify(PostRequest.toJSON(request)))
      throw new ApiError('DUPLICATE_ID', TEXTS('id-taken'));
    this.#loseAnswer();
    return PostResponse.fromPartial({ transactionId: request.transactionId });
  }

  async #hang(
    request: PostRequest,
    { until, signal }: { until: Promise<void> | undefined; signal: AbortSignal },
  ): Promise<void> {
    if (until === undefined) return;
    this.#hanging.add(request);
    signal.addEventListener('abort', () => this.#hanging.delete(request));
    await until;
    this.#hanging.delete(request);
  }

  async #void({ transactionId, accountId }: VoidRequest): Promise<VoidResponse> {
    if (!this.#accounts.has(accountId)) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
    if (this.booked.has(transactionId)) throw new ApiError('STATUS_INVALID', TEXTS('booked'));
    if (!this.#outOfUse.has(transactionId)) this.#outOfUse.set(transactionId, 'void');
    this.#loseAnswer();
    return {};
  }

  #loseAnswer(): void {
    if (this.#answersToLose === 0) return;
    this.#answersToLose -= 1;
    throw new ApiError('UNAVAILABLE', TEXTS('lost'));
  }

  #book(request: PostRequest): void {
    const refused = this.#outOfUse.get(request.transactionId);
    if (refused === 'void') throw new ApiError('STATUS_INVALID', TEXTS('void'));
    if (refused === 'no-funds') throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
    const account = this.#accounts.get(request.accountId);
    if (account === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
    const { minorUnits } = parseMoney(request.amount!.value, request.amount!.currency);
    if (request.requireFunds && account.minorUnits + minorUnits < 0n) {
      this.#outOfUse.set(request.transactionId, 'no-funds');
      throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
    }
    account.minorUnits += minorUnits;
    this.booked.set(request.transactionId, request);
  }

  #find({ clientId, consentId, accountId, role }: GetAccountRequest): GetAccountResponse {
    this.asked.push(accountId);
    const account = this.#accounts.get(accountId);
    const foreign = account && consentId !== '' && !account.consentIds.includes(consentId);
    if (!account?.open || account.clientId !== clientId || foreign || role !== 'PSP_PI')
      throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
    return account.details;
  }
}

/** Starts the bank of one test file. */
export async function startBank(): Promise<TestBank> {
  const bank = new TestBank();
  await bank.serve();
  return bank;
}
