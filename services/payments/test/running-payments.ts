import { randomUUID } from 'node:crypto';
import { type KillableBroker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { createClient } from '@kontoport/grpc';
import { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { startInProcess } from '@kontoport/service';
import { type Answer, ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import type { adapters } from '../src/adapters.ts';
import type { PaymentTypes } from '../src/domain/payment-types/payment-type.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import { definePayments } from '../src/service.ts';
import { startBank, type TestBank } from './test-bank.ts';

export const DRAFTS = '/payments/drafts/domestic-credit-transfer';
export const REDIRECT = 'https://tpp.test/callback';
export const USER_URL = 'https://user.bank.test';

/** One TPP and its requests. */
export interface Caller {
  tpp: TestTpp;
  clientId: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: unknown },
  ): Promise<Answer>;
  /** A draft that is valid, over `account`. */
  validDraft(account: string, amount?: string): Promise<string>;
  approve(draftIds: readonly string[], requestId?: string): Promise<Answer>;
  status(draftId: string): Promise<unknown>;
  /** Waits for a status of a draft. */
  reaches(draftId: string, status: string): Promise<Answer>;
}

export interface RunningPayments {
  origin: string;
  peers: FakePeers;
  bank: TestBank;
  approvals: ApprovalsServiceClient;
  broker: KillableBroker;
  caller(tpp?: { organizationIdentifier: string }): Promise<Caller>;
  close(): Promise<void>;
}

/** Starts the service with its peers and its bank. */
export async function startPayments(options: {
  settlementDelay: string;
  paymentTypes?: PaymentTypes;
  adapters?: typeof adapters;
  env?: Record<string, string>;
  /** The account-information that it calls; default: its own. */
  bank?: TestBank;
}): Promise<RunningPayments> {
  const [peers, bank, broker] = await Promise.all([
    startFakePeers(),
    options.bank ?? startBank(),
    startEmbeddedKafka(Object.values(topics)),
  ]);
  const env = {
    ...peers.env,
    GRPC_PORT: '0',
    KAFKA_BROKERS: broker.brokers.join(),
    ACCOUNTS_GRPC: `localhost:${bank.port}`,
    USER_URL: `${USER_URL}/`,
    SETTLEMENT_DELAY: options.settlementDelay,
    ...options.env,
  };
  const service = await startInProcess(
    definePayments(options.paymentTypes ?? PAYMENT_TYPES, options.adapters),
    env,
  );
  await untilReady({ name: 'the service', opsPort: service.opsPort, limitMs: 60_000 });
  const approvals = createClient(ApprovalsServiceClient, `localhost:${service.grpcPort}`);
  const origin = service.addresses.base_url!;

  return {
    origin,
    peers,
    bank,
    approvals,
    broker,
    async caller(options) {
      const tpp = await peers.addTpp(options);
      const identity = await tpp.headers();
      const send: Caller['send'] = (method, path, { headers = {}, body }) =>
        ask(method, origin + path, { headers: { ...identity, ...headers }, body });
      const call: Caller['call'] = (method, path, body, headers = {}) =>
        send(method, path, { headers, body });
      // The directory learns of a new TPP a moment after it was added.
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
      await service.close();
      bank.close();
      await Promise.all([broker.stop(), peers.close()]);
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

/** The fields of a good bankgiro payment, but for the sender account. */
export const GIRO = {
  receiverGiroNumber: '5050-1055',
  receiverName: 'Water works',
  amount: '100.00',
  currency: 'SEK',
  reference: '1234567806',
  referenceType: 'OCR',
};
