import { randomUUID } from 'node:crypto';
import { createClient } from '@kontoport/grpc';
import { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { createLogger, Lifecycle } from '@kontoport/runtime';
import { type Peers, startPeers, type TestTpp } from '@kontoport/testing/peers';
import { until } from '@kontoport/embedded/wait';
import type { PaymentTypes } from '../src/payment-types/payment-types.ts';
import { start } from '../src/start.ts';
import { startBank, type TestBank } from './bank.ts';

export const DRAFTS = '/payments/drafts/domestic-credit-transfer';
export const REDIRECT = 'https://tpp.test/callback';
export const USER_URL = 'https://user.bank.test';

export interface Answer {
  status: number;
  headers: Headers;
  // The shape is what the tests assert.
  body: Record<string, unknown>;
}

/** One TPP and what it does. */
export interface Caller {
  tpp: TestTpp;
  clientId: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  send(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string },
  ): Promise<Answer>;
  /** A draft that is valid, over `account`. */
  validDraft(account: string, amount?: string): Promise<string>;
  approve(draftIds: readonly string[], requestId?: string): Promise<Answer>;
  status(draftId: string): Promise<unknown>;
  /** Waits for a status of a draft. */
  reaches(draftId: string, status: string): Promise<Answer>;
}

export interface TestService {
  origin: string;
  peers: Peers;
  bank: TestBank;
  approvals: ApprovalsServiceClient;
  caller(): Promise<Caller>;
  close(): Promise<void>;
}

/** Starts the service with its peers and its bank. */
export async function startTestService(options: {
  settlementDelay: string;
  paymentTypes?: PaymentTypes;
}): Promise<TestService> {
  const peers = await startPeers();
  const bank = await startBank();
  const lifecycle = new Lifecycle();
  const env = {
    ...peers.env,
    GRPC_PORT: '0',
    ACCOUNTS_GRPC: `localhost:${bank.port}`,
    USER_URL: `${USER_URL}/`,
    SETTLEMENT_DELAY: options.settlementDelay,
  };
  const { paymentTypes } = options;
  const types = paymentTypes === undefined ? {} : { paymentTypes };
  const { httpPort, grpcPort, opsPort } = await start({ env, lifecycle, ...types });
  const approvals = createClient(ApprovalsServiceClient, `localhost:${grpcPort}`);
  const origin = `http://127.0.0.1:${httpPort}`;
  await until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, { what: 'readiness' });

  return {
    origin,
    peers,
    bank,
    approvals,
    async caller() {
      const tpp = await peers.addTpp();
      const identity = await tpp.headers();
      const send: Caller['send'] = async (method, path, { headers = {}, body }) => {
        const response = await fetch(origin + path, {
          method,
          headers: { ...identity, ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const text = await response.text();
        return {
          status: response.status,
          headers: response.headers,
          body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
        };
      };
      const call: Caller['call'] = (method, path, body) =>
        send(
          method,
          path,
          body === undefined
            ? {}
            : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        );
      // The directory hears of a new TPP a moment after it was added.
      await until(async () => (await call('GET', `${DRAFTS}/${randomUUID()}`)).status === 404, {
        what: 'the TPP to be known',
      });
      const status: Caller['status'] = async (draftId) =>
        (await call('GET', `${DRAFTS}/${draftId}`)).body.status;
      return {
        tpp,
        clientId: tpp.clientId,
        call,
        send,
        status,
        async validDraft(senderAccountId, amount = '125.50') {
          const draftId = randomUUID();
          await call('POST', DRAFTS, { draftId, name: 'Rent' });
          const fields = { ...TRANSFER, amount, senderAccountId };
          const { body } = await call('PATCH', `${DRAFTS}/${draftId}`, fields);
          if (body.isValid !== true) throw new Error(`not valid: ${JSON.stringify(body)}`);
          return draftId;
        },
        approve: (draftIds, requestId = randomUUID()) =>
          call('POST', '/payments/drafts/approve', { requestId, draftIds, redirectUrl: REDIRECT }),
        reaches: (draftId, wanted) =>
          until(
            async () => {
              const answer = await call('GET', `${DRAFTS}/${draftId}`);
              return answer.body.status === wanted && answer;
            },
            { what: `the draft to be ${wanted}` },
          ),
      };
    },
    async close() {
      approvals.close();
      await lifecycle.close(createLogger({ service: 'test', level: 'silent' }));
      bank.close();
      await peers.close();
    },
  };
}

/** The fields of a good transfer in DKK, but for the sender account. */
export const TRANSFER = {
  receiverAccountBban: '00400440116243',
  receiverName: 'Receiver',
  amount: '125.50',
  currency: 'DKK',
};
