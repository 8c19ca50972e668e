import { randomBytes, randomUUID } from 'node:crypto';
import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { untilReady } from '@kontoport/embedded/until-ready';
import {
  createProducer,
  openKafka,
  outboxEvent,
  type Producer,
  recordOf,
  type Topic,
  topics,
} from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { ConsentRevoked, Posting, TransferCreated } from '@kontoport/proto/events/v1';
import { startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { withFreshDirectory } from '@kontoport/testing/fresh-directory';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import { webhookDispatcher } from '../src/service.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

/** A service in this process. */
export interface StartedService {
  origin: string;
  stop(): Promise<void>;
}

/** The surroundings of the dispatcher in one test file, all real: PostgreSQL, broker, registration, keys. */
export interface Parts {
  peers: FakePeers;
  broker: Broker;
  pool: pg.Pool;
  producer: Producer;
  env: Record<string, string>;
  /** Starts a dispatcher, ready to consume; `env` goes over the common environment. */
  startService(env?: Record<string, string>): Promise<StartedService>;
  close(): Promise<void>;
}

/** @param startBroker default: our own broker */
export async function startParts(
  startBroker: (made: readonly Topic[]) => Promise<Broker> = startEmbeddedKafka,
): Promise<Parts> {
  const [peers, database, broker] = await Promise.all([
    startFakePeers(),
    testDatabase('webhook-dispatcher'),
    startBroker(Object.values(topics)),
  ]);
  const pool = openTestPool(database.url, { max: 3 });
  const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
  const producer = createProducer({ kafka });
  const running = new Set<StartedService>();
  const env = {
    ...peers.env,
    DATABASE_URL: database.url,
    KAFKA_BROKERS: broker.brokers.join(),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    CALLBACK_LOOPBACK: 'true',
    WEBHOOK_RETRY_SCHEDULE: '0s,50ms,100ms,200ms',
  };
  return {
    peers,
    broker,
    pool,
    producer,
    env,
    async startService(changes = {}) {
      const { addresses, opsPort, close } = await startInProcess(webhookDispatcher, { ...env, ...changes });
      const service: StartedService = {
        origin: addresses.base_url!,
        async stop() {
          running.delete(service);
          await close();
        },
      };
      running.add(service);
      await untilReady({ name: 'the dispatcher', opsPort, limitMs: 60_000 });
      return service;
    },
    async close() {
      await Promise.all([...running].map((service) => service.stop()));
      await producer.close();
      await pool.end();
      await Promise.all([broker.stop(), peers.close(), database.drop()]);
    },
  };
}

/** A subscription as the service returns it. */
export interface WireSubscription {
  id: string;
  internalId: string;
  subscriptionKey: string;
  callbackUrl: string;
  eventTypes: string[];
  status: string;
  createdAt: string;
}

/** A TPP's client of the subscription interface. */
export function webhookClient(origin: () => string, tpp: TestTpp) {
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${origin()}/v1/webhook-subscriptions${path}`, {
      method,
      headers: { ...(await tpp.headers()), 'content-type': 'application/json', 'x-request-id': 'test' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  const ask = (...request: Parameters<typeof send>) => withFreshDirectory(() => send(...request));
  return {
    /** One request. */
    send,
    /** A request that repeats while the client directory is stale. */
    ask,
    /** Subscribes, to postings unless other types are given. */
    async subscribe(
      callbackUrl: string,
      id: string = randomUUID(),
      eventTypes: readonly string[] = ['Posting.CreatedV1'],
    ): Promise<WireSubscription> {
      const { status, body } = await ask('POST', `/${id}`, { callbackUrl, eventTypes });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body as WireSubscription;
    },
  };
}

/** A posting for these clients, made now. */
export function postingFor(
  tpps: readonly Pick<TestTpp, 'clientId'>[],
  changes: Partial<Posting> = {},
): Posting {
  const now = new Date().toISOString();
  return Posting.fromPartial({
    eventId: randomUUID(),
    eventTime: now,
    audience: tpps.map(({ clientId }) => clientId),
    accountId: randomUUID(),
    accountNumber: '00400440116243',
    ledgerPostingId: randomUUID(),
    amountValue: '125.50',
    amountCurrency: 'DKK',
    credit: true,
    postingTime: now,
    ...changes,
  });
}

/** Publishes postings as account-information does. */
export async function publish(
  producer: Producer,
  postings: readonly Posting[],
  headers: Record<string, string> = {},
): Promise<void> {
  await producer.send(
    postings.map((posting) => {
      const record = recordOf(outboxEvent('Posting.CreatedV1', posting));
      return { ...record, headers: { ...record.headers, ...headers } };
    }),
  );
}

/** A consent of a client that was taken back now. */
export function revokedConsentOf(
  { clientId }: Pick<TestTpp, 'clientId'>,
  changes: Partial<ConsentRevoked> = {},
): ConsentRevoked {
  const now = new Date().toISOString();
  return ConsentRevoked.fromPartial({
    eventId: randomUUID(),
    eventTime: now,
    audience: [clientId],
    clientId,
    consentId: randomUUID(),
    accountIds: [randomUUID(), randomUUID()],
    revokedAt: now,
    ...changes,
  });
}

/** Publishes consent events as account-information does. */
export async function publishRevoked(
  producer: Producer,
  ...revoked: readonly ConsentRevoked[]
): Promise<void> {
  await producer.send(revoked.map((event) => recordOf(outboxEvent('Consent.RevokedV1', event))));
}

/** A payment of a client, PENDING. */
export function transferOf(
  { clientId }: Pick<TestTpp, 'clientId'>,
  changes: Partial<TransferCreated> = {},
): TransferCreated {
  return TransferCreated.fromPartial({
    eventId: randomUUID(),
    eventTime: new Date().toISOString(),
    audience: [clientId],
    paymentId: randomUUID(),
    accountId: randomUUID(),
    paymentType: 'domestic-credit-transfer',
    status: 'PENDING',
    draftId: randomUUID(),
    ...changes,
  });
}

/** Publishes transfer events as payments does; both types have the same fields. */
export async function publishTransfer(
  producer: Producer,
  type: 'Transfer.CreatedV1' | 'Transfer.StatusChangedV1',
  transfer: TransferCreated,
): Promise<void> {
  await producer.send([recordOf(outboxEvent(type, transfer))]);
}
