import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { addAccounts, authorize, books, feed, type Feeding, post, settle } from './ingesting.ts';
import { ownEnv } from './running.ts';
import { readTopic } from './topic-reader.ts';

const TRANSACTIONS = 6_000;
const MESSAGE = 50;

describe('kill -9 in the middle of a stream (ADR-0021)', () => {
  it('neither loses nor repeats an entry when the bank continues after the last answer', async () => {
    const [peers, database] = [await startFakePeers(), await testDatabase('account-information')];
    const broker = await startEmbeddedKafka([topics.postings, topics.consents]);
    const pool = openTestPool(database.url);
    const [grpcPort, opsPort] = [await freePort(), await freePort()];
    const env = {
      ...peers.env,
      ...ownEnv({ databaseUrl: database.url, brokers: broker.brokers }),
      GRPC_PORT: String(grpcPort),
      OPS_PORT: String(opsPort),
    };
    const accounts = await addAccounts(pool, 3);
    // Every third one is authorized and settled at once.
    const entries = Array.from({ length: TRANSACTIONS }, (_, at) => {
      const accountId = accounts[at % accounts.length]!;
      if (at % 3 !== 1) return [post(accountId, '0.01')];
      const held = authorize(accountId, '-0.01');
      return [held, settle(held)];
    }).flat();

    const send = (feeding: Feeding, from: number): void => {
      for (let first = from; first < entries.length; first += MESSAGE)
        void feeding.send(first + 1, ...entries.slice(first, first + MESSAGE));
      feeding.call.end();
    };
    const first = startServiceProcess({ service: 'account-information', env });
    await first.ready();
    const cut = feed(`127.0.0.1:${grpcPort}`);
    send(cut, 0);
    await cut.answers(1_000);
    expect(await first.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    expect(await cut.ended).toMatchObject({ code: 'UNAVAILABLE' });
    cut.close();
    const answered = Number(cut.results.at(-1)!.number);
    expect(cut.results.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: answered }, (_, at) => at + 1),
    );
    expect(answered).toBeLessThan(entries.length);

    const second = startServiceProcess({ service: 'account-information', env });
    await second.ready();
    const topic = await readTopic(broker.brokers);
    const resumed = feed(`127.0.0.1:${grpcPort}`);
    send(resumed, answered);
    expect(await resumed.ended).toBeUndefined();
    resumed.close();
    expect([...cut.results, ...resumed.results].filter(({ refusal }) => refusal !== undefined)).toEqual([]);
    expect(resumed.results).toHaveLength(entries.length - answered);

    const each = TRANSACTIONS / 3;
    const [credited, debited, others] = await books(pool, accounts);
    expect([credited, debited, others]).toEqual([
      { balance: 100_000 + each, reserved: 0, transactions: each },
      { balance: 100_000 - each, reserved: 0, transactions: each },
      { balance: 100_000 + each, reserved: 0, transactions: each },
    ]);
    await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
      what: 'an empty outbox',
    });
    const told = () => new Set(topic.events.map(({ value }) => value.eventId));
    await until(() => told().size >= TRANSACTIONS, { what: 'the events' });
    expect(told().size).toBe(TRANSACTIONS);
    expect(new Set(topic.events.map(({ value }) => value.ledgerPostingId)).size).toBe(TRANSACTIONS);

    expect(await second.kill()).toEqual({ code: 0, signal: null });
    await topic.close();
    await broker.stop();
    await pool.end();
    await database.drop();
    await peers.close();
  }, 120_000);
});
