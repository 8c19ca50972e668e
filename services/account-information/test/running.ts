import { randomBytes, randomUUID } from 'node:crypto';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { untilReady } from '@kontoport/embedded/until-ready';
import { topics } from '@kontoport/events';
import { call, createClient, fromServiceError } from '@kontoport/grpc';
import {
  AccountAccessServiceClient,
  AuthorizeRequest,
  ClientClockServiceClient,
  ConsentsServiceClient,
  CreateConsentRequest,
  EnrichRequest,
  FailRequest,
  GetOutcomeRequest,
  InitiateRequest,
  LedgerServiceClient,
  PostRequest,
  PutAccountRequest,
  PutAttachmentRequest,
  type PutAttachmentResponse,
  ScheduleRequest,
  SettleRequest,
  VoidRequest,
} from '@kontoport/proto/accounts/v1';
import { startInProcess } from '@kontoport/service';
import { ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { withFreshDirectory } from '@kontoport/testing/fresh-directory';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { SANDBOX_USERS } from '../src/account-data/sandbox/users.ts';
import { accountInformation } from '../src/service.ts';

const checking = (users: typeof SANDBOX_USERS) =>
  users.flatMap(({ accounts }) => accounts).filter(({ type }) => type === 'CHECKING');

const consenting = SANDBOX_USERS.filter(({ refusesConsent }) => !refusesConsent);

/** The numbers of a simulated bank: stored accounts, those that it lists, and those that automatic consents open. */
export const SIMULATED = {
  stored: SANDBOX_USERS.flatMap(({ accounts }) => accounts).length,
  listed: checking(SANDBOX_USERS).length,
  open: checking(consenting).length,
  consents: consenting.length,
};

/** An account in the answer of `GET /accounts`. */
export interface AccountBody {
  id: string;
  currency: string;
  bban: string;
  type: string;
  balanceAmount: number;
  balanceReservedAmount: number;
  balanceAvailableAmount: number;
  creditLimitAmount?: number;
  [field: string]: unknown;
}

/** A transaction in the answer of the V2 list. */
export interface TransactionBody {
  id: string;
  accountId: string;
  status: string;
  type: string;
  transactionTime: string;
  postingTime: string | null;
  billingAmount: { amount: number; currency: string };
  transactionAmount: { amount: number; currency: string } | null;
  accountBalanceAfterTransaction?: { amount: number; currency: string };
  [field: string]: unknown;
}

export interface PageBody {
  limit: number;
  from?: string;
  to?: string;
  nextCursor?: string;
  pending: TransactionBody[];
  posted: TransactionBody[];
}

/** The service's variables, without those of its peers. */
export function ownEnv(options: { databaseUrl: string; brokers: readonly string[] }): Record<string, string> {
  return {
    GRPC_PORT: '0',
    DATABASE_URL: options.databaseUrl,
    KAFKA_BROKERS: options.brokers.join(','),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
  };
}

/**
 * Starts the service on its own database and broker, with its peers.
 * @param options.env further variables
 * @param options.databaseBehind adds a proxy between the service and its database
 */
export async function startAccountInformation(
  options: { databaseBehind?: (url: string) => Promise<string>; env?: Record<string, string> } = {},
) {
  const peers = await startFakePeers();
  const database = await testDatabase('account-information');
  const broker = await startEmbeddedKafka(Object.values(topics));
  const pool = openTestPool(database.url);
  const databaseUrl = (await options.databaseBehind?.(database.url)) ?? database.url;
  const env = { ...peers.env, ...ownEnv({ databaseUrl, brokers: broker.brokers }), ...options.env };
  const service = await startInProcess(accountInformation, env);
  await untilReady({ name: 'the service', opsPort: service.opsPort, limitMs: 60_000 });
  const grpcAddress = `127.0.0.1:${service.grpcPort}`;
  const clients = openClients(grpcAddress);

  let stopped: Promise<void> | undefined;
  const running = {
    grpcAddress,
    opsPort: service.opsPort,
    peers,
    pool,
    env,
    brokers: broker.brokers,
    origin: service.addresses.base_url!,
    ...clients,
    addTpp: (options?: { organizationIdentifier: string }) => addTpp(peers, running.origin, options),
    /** Ends the service before its peers. */
    stopService: () => (stopped ??= service.close()),
    async close() {
      clients.close();
      await running.stopService();
      await pool.end();
      await broker.stop();
      await database.drop();
      await peers.close();
    },
  };
  return running;
}

export type Running = Awaited<ReturnType<typeof startAccountInformation>>;

/** The first use of a client creates its accounts. */
const FIRST_USE = { deadlineMs: 10_000 };

/** Clients of the gRPC services at `address`. */
export function openClients(address: string) {
  const ledger = createClient(LedgerServiceClient, address);
  const access = createClient(AccountAccessServiceClient, address);
  const consents = createClient(ConsentsServiceClient, address);
  const clocks = createClient(ClientClockServiceClient, address);
  return {
    post: (request: Partial<PostRequest>) => call(ledger, ledger.post, posting(request), FIRST_USE),
    authorize: (request: Partial<PostRequest>) =>
      call(ledger, ledger.authorize, AuthorizeRequest.fromPartial(posting(request)), FIRST_USE),
    initiate: (request: Partial<PostRequest>) =>
      call(ledger, ledger.initiate, InitiateRequest.fromPartial(posting(request)), FIRST_USE),
    schedule: (request: Partial<PostRequest>) =>
      call(ledger, ledger.schedule, ScheduleRequest.fromPartial(posting(request)), FIRST_USE),
    settle: (request: Partial<SettleRequest>) =>
      call(ledger, ledger.settle, SettleRequest.fromPartial(request), FIRST_USE),
    fail: (transactionId: string, accountId: string) =>
      call(ledger, ledger.fail, FailRequest.fromPartial({ transactionId, accountId }), FIRST_USE),
    void: (transactionId: string, accountId: string) =>
      call(ledger, ledger.void, VoidRequest.fromPartial({ transactionId, accountId }), FIRST_USE),
    /** The bank's side of the feed, without conversions. */
    feed: {
      putAccount: (request: Partial<PutAccountRequest>) =>
        call(ledger, ledger.putAccount, PutAccountRequest.fromPartial(request), FIRST_USE),
      getOutcome: (request: Partial<GetOutcomeRequest>) =>
        call(ledger, ledger.getOutcome, GetOutcomeRequest.fromPartial(request), FIRST_USE),
      enrich: (request: Partial<EnrichRequest>) =>
        call(ledger, ledger.enrich, EnrichRequest.fromPartial(request), FIRST_USE),
      /** Sends the messages unchanged. */
      upload: (messages: readonly PutAttachmentRequest[]) =>
        new Promise<PutAttachmentResponse>((resolve, reject) => {
          const sending = ledger.putAttachment((error, response) =>
            error ? reject(fromServiceError(error)) : resolve(response),
          );
          // After a refusal the stream is closed, and further writes fail.
          sending.on('error', () => {});
          for (const message of messages) sending.write(message);
          sending.end();
        }),
      fail: (request: Partial<FailRequest>) =>
        call(ledger, ledger.fail, FailRequest.fromPartial(request), FIRST_USE),
      void: (request: Partial<VoidRequest>) =>
        call(ledger, ledger.void, VoidRequest.fromPartial(request), FIRST_USE),
    },
    getAccount: (clientId: string, accountId: string, { consentId = '', role = 'PSP_PI' } = {}) =>
      call(access, access.getAccount, { clientId, accountId, consentId, role }, FIRST_USE),
    listConsents: (clientId: string) => call(consents, consents.listConsents, { clientId }, FIRST_USE),
    listUsers: (clientId: string) => call(consents, consents.listUsers, { clientId }, FIRST_USE),
    listUserAccounts: (clientId: string, userId: string) =>
      call(consents, consents.listUserAccounts, { clientId, userId }, FIRST_USE),
    createConsent: (request: Partial<CreateConsentRequest>) =>
      call(consents, consents.createConsent, CreateConsentRequest.fromPartial(request), FIRST_USE),
    getConsent: (consentId: string, clientId: string) =>
      call(consents, consents.getConsent, { consentId, clientId }, FIRST_USE),
    revokeConsent: (consentId: string, userId: string) =>
      call(consents, consents.revokeConsent, { consentId, userId }, FIRST_USE),
    listConsentsOfUser: (userId: string) =>
      call(consents, consents.listConsentsOfUser, { userId }, FIRST_USE),
    listMovedClocks: (since?: Date) => call(clocks, clocks.listMovedClocks, { since }, FIRST_USE),
    close() {
      for (const client of [ledger, access, consents, clocks]) client.close();
    },
  };
}

function posting(request: Partial<PostRequest>): PostRequest {
  return PostRequest.fromPartial({
    transactionId: request.reference === undefined ? randomUUID() : '',
    amount: { value: '-1.00', currency: 'DKK' },
    title: 'Test',
    type: 'domesticCreditTransfer',
    ...request,
  });
}

/** A registered TPP that reads accounts. */
export type Reader = Awaited<ReturnType<typeof addTpp>>;

async function addTpp(peers: FakePeers, origin: string, options?: { organizationIdentifier: string }) {
  const tpp: TestTpp = await peers.addTpp(options);
  const headers = await tpp.headers();
  const getAt = (address: string, path: string, more: Record<string, string> = {}) =>
    withFreshDirectory(() => ask('GET', address + path, { headers: { ...headers, ...more } }));
  const get = (path: string, more: Record<string, string> = {}) => getAt(origin, path, more);
  const reader = {
    tpp,
    clientId: tpp.clientId,
    headers,
    get,
    getAt,
    async accounts(): Promise<AccountBody[]> {
      const { status, body, text } = await get('/accounts');
      expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
      return body.accounts as AccountBody[];
    },
    /** Finds the account with that name. */
    async account(name = 'Lønkonto'): Promise<AccountBody> {
      return (await reader.accounts()).find((account) => account.name === name)!;
    },
    async page(accountId: string, query: Record<string, string | number> = {}): Promise<PageBody> {
      const search = new URLSearchParams(query as Record<string, string>).toString();
      const { status, text } = await get(`/v2/accounts/${accountId}/transactions?${search}`);
      expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
      return JSON.parse(text) as PageBody;
    },
    /** Returns every posted transaction, page by page; `between` runs before each further page. */
    async posted(
      accountId: string,
      query: Record<string, string | number> = {},
      between: () => Promise<unknown> = async () => {},
    ): Promise<TransactionBody[]> {
      let page = await reader.page(accountId, query);
      const all = [...page.posted];
      while (page.nextCursor !== undefined) {
        await between();
        page = await reader.page(accountId, { ...query, cursor: page.nextCursor });
        all.push(...page.posted);
      }
      return all;
    },
    async refusal(path: string): Promise<{ status: number; errorCode: unknown; message: unknown }> {
      const { status, body } = await get(path);
      return { status, errorCode: body.errorCode, message: body.message };
    },
  };
  return reader;
}
