import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { createProducer, openKafka, type Producer, topics } from '@kontoport/events';
import { Posting } from '@kontoport/proto/events/v1';
import { createLogger } from '@kontoport/runtime';
import type { TestTpp } from '@kontoport/testing/peers';
import { openBank } from './bench-bank.ts';
import { median, spread } from './figures.ts';
import { subscribe } from './webhook-parts.ts';

const CLIENTS = 20;
const SUBSCRIPTIONS = 100;
const POSTINGS = 15;

/** How long a TPP's webhook takes, alone and among 2,000 silent receivers of twenty others. */
export async function benchNeighbours(): Promise<void> {
  let [silentNow, arrivedAt] = [0, 0];
  const silent = await listen(() => void (silentNow += 1));
  const receiver = await listen((request, response) => {
    arrivedAt = performance.now();
    request.resume();
    response.writeHead(204).end();
  });
  const bank = await openBank();
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const producer = createProducer({
    kafka: openKafka({ brokers: bank.brokers, clientId: 'bench', logger }),
  });
  try {
    const { origin } = await bank.start('webhook-dispatcher', await bank.database('webhook-dispatcher'));
    const tpp = await bank.peers.addTpp();
    await subscribe({ origin, tpp, callbackUrl: receiver.url });
    const silentTpps: TestTpp[] = [];
    for (let i = 0; i < CLIENTS; i++) silentTpps.push(await bank.peers.addTpp());
    for (const one of silentTpps)
      for (let i = 0; i < SUBSCRIPTIONS; i++)
        await subscribe({ origin, tpp: one, callbackUrl: silent.url, id: `silent-${i}` });

    const timeOne = async (): Promise<number> => {
      arrivedAt = 0;
      const sentAt = performance.now();
      await publish(producer, [tpp]);
      await until(() => arrivedAt > 0, { what: 'the webhook', timeout: 60_000 });
      return arrivedAt - sentAt;
    };
    const timed = async (): Promise<number[]> => {
      const times: number[] = [];
      for (let i = 0; i < POSTINGS; i++) times.push(await timeOne());
      return times;
    };
    await timeOne();
    const alone = await timed();
    for (let i = 0; i < 3; i++) await publish(producer, silentTpps);
    await until(() => silentNow >= 400, { what: 'silent receivers to be called', timeout: 60_000 });
    const among = await timed();
    console.log(`  alone                ${spread(alone)} ms from the topic to the receiver`);
    console.log(`  among 2,000 silent   ${spread(among)} ms`);
    console.log(`  ratio                ${(median(among) / median(alone)).toFixed(2)}`);
  } finally {
    await producer.close();
    await bank.close();
    silent.close();
    receiver.close();
  }
}

async function publish(producer: Producer, tpps: readonly TestTpp[]): Promise<void> {
  const now = new Date().toISOString();
  const posting = Posting.fromPartial({
    eventId: randomUUID(),
    eventTime: now,
    audience: tpps.map(({ clientId }) => clientId),
    accountId: randomUUID(),
    accountNumber: '00400440116243',
    ledgerPostingId: randomUUID(),
    amountValue: '1.00',
    amountCurrency: 'DKK',
    credit: true,
    postingTime: now,
  });
  const value = JSON.stringify(Posting.toJSON(posting));
  await producer.send([
    { topic: topics.postings.name, key: posting.accountId, value, headers: { ce_type: 'Posting.CreatedV1' } },
  ]);
}

async function listen(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
