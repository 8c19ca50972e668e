import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createProducer, openKafka, startConsumers } from '../src/index.ts';
import { logger } from './parts.ts';

/** More than all that is waited for, and less than the library takes by itself to give up a broker. */
const LIMIT_MS = 40_000;

let broker: Server;
let sockets: Set<Socket>;
let called: Promise<unknown>;

beforeEach(async () => {
  sockets = new Set();
  broker = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  called = once(broker, 'connection');
  await once(broker, 'listening');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  broker.close();
  await once(broker, 'close');
});

describe('a broker that never answers', () => {
  it(
    'does not delay the shutdown of a joining consumer',
    async () => {
      const { port } = broker.address() as AddressInfo;
      const kafka = openKafka({ brokers: [`127.0.0.1:${port}`], clientId: 'test', logger });
      const deadLetters = createProducer({ kafka });
      const consumer = startConsumers({
        kafka,
        groupId: 'test',
        topics: [{ topic: 't', parse: () => 0, handleBatch: async () => {} }],
        deadLetters,
        logger,
      });
      await called;
      await consumer.close();
      await deadLetters.close();
      expect(consumer.groupReady()).toBe('not a member of the group test yet');
    },
    LIMIT_MS,
  );

  it(
    'does not delay the shutdown of a consumer with a dead letter, whose record comes again',
    async () => {
      const { port } = broker.address() as AddressInfo;
      const kafka = openKafka({ brokers: [`127.0.0.1:${port}`], clientId: 'test', logger });
      const deadLetters = createProducer({ kafka });
      const record = {
        topic: 't',
        partition: 0,
        offset: '7',
        key: null,
        value: null,
        timestamp: 0,
        headers: {},
      };
      const range = { topic: 't', partition: 0, from: 7n, to: 8n };
      let isTaken: boolean | undefined;
      const consumer = startConsumers({
        kafka: {
          ...kafka,
          joinGroup: async ({ take, closing }) => {
            isTaken = await take(
              [{ topic: 't', partition: 0, records: [record], range }],
              () => !closing.aborted,
            );
          },
        },
        groupId: 'test',
        topics: [
          {
            topic: 't',
            parse: () => {
              throw new Error('not to be read');
            },
            handleBatch: async () => {},
          },
        ],
        deadLetters,
        logger,
      });
      await called;
      await consumer.close();
      expect(isTaken).toBe(false);
      await deadLetters.close();
    },
    LIMIT_MS,
  );
});
