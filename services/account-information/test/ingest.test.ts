import { randomUUID } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { until } from '@kontoport/embedded/wait';
import { LedgerServiceService } from '@kontoport/proto/accounts/v1';
import {
  addAccounts,
  authorize,
  books,
  enrich,
  fail,
  feed,
  type Feeding,
  initiate,
  post,
  schedule,
  settle,
  takeOut,
} from './ingesting.ts';
import { type Running, startAccountInformation } from './running.ts';
import { readTopic, type TopicReader } from './topic-reader.ts';

let running: Running;
let topic: TopicReader;
const open: Feeding[] = [];
beforeAll(async () => {
  running = await startAccountInformation({ env: { INGEST_STREAMS: '2' } });
  topic = await readTopic(running.brokers);
});
afterEach(() => {
  for (const feeding of open.splice(0)) feeding.close();
});
afterAll(async () => {
  await topic.close();
  await running.close();
});

function begin(): Feeding {
  const feeding = feed(running.grpcAddress);
  open.push(feeding);
  return feeding;
}

/** The number and the outcome of each result. */
const said = ({ results }: Feeding) =>
  results.map(({ number, balanceAfter, refusal }) => [
    Number(number),
    refusal?.errorCode ?? balanceAfter?.value ?? 'done',
  ]);

describe('Ledger.Ingest (ADR-0021)', () => {
  it('answers every entry by its number, in order, and posts valid entries between invalid ones', async () => {
    const [one, other] = (await addAccounts(running.pool, 2)) as [string, string];
    const [held, dropped, booked, unused] = [
      authorize(one, '-5.00'),
      authorize(other),
      post(one),
      post(other),
    ];
    const feeding = begin();
    void feeding.send(1, held, dropped, booked, settle(held), post(other, '2.00'));
    void feeding.send(
      10,
      fail(dropped),
      post(one, 'x'),
      booked,
      settle(dropped),
      takeOut(unused),
      unused,
      post(randomUUID()),
      post(one, '-9000.00', { requireFunds: true }),
      post(other),
    );
    feeding.call.write({ entries: [{ number: 30n }] });
    feeding.call.end();
    expect(await feeding.ended).toBeUndefined();
    expect(said(feeding)).toEqual([
      [1, 'done'],
      [2, 'done'],
      [3, '999.00'],
      [4, '994.00'],
      [5, '1002.00'],
      [10, 'done'],
      [11, 'FORMAT_ERROR'],
      [12, '999.00'],
      [13, 'STATUS_INVALID'],
      [14, 'done'],
      [15, 'STATUS_INVALID'],
      [16, 'RESOURCE_UNKNOWN'],
      [17, 'FUNDS_INSUFFICIENT'],
      [18, '1001.00'],
      [30, 'FORMAT_ERROR'],
    ]);
    const [third] = feeding.results.filter(({ number }) => number === 3n);
    expect(third).toMatchObject({ transactionId: booked.value.transactionId, postingTime: expect.any(Date) });
    const [bad] = feeding.results.filter(({ number }) => number === 11n);
    expect(bad!.refusal!.faults).toEqual([{ path: 'amount.value', message: expect.any(String) }]);
    expect(await books(running.pool, [one, other])).toEqual([
      { balance: 99_400, reserved: 0, transactions: 3 },
      { balance: 100_100, reserved: 0, transactions: 4 },
    ]);
    expect((await topic.find(held.value.transactionId)).value).toMatchObject({ amountValue: '5.00' });
    expect((await topic.find(booked.value.transactionId)).value).toMatchObject({ amountValue: '1.00' });
  });

  it('accepts initiated, planned and enriched transactions in order', async () => {
    const [accountId] = (await addAccounts(running.pool, 1)) as [string];
    const [begun, plan, booked, held, gone] = [
      initiate(accountId, '-2.00'),
      schedule(accountId, '-3.00'),
      post(accountId, '-4.00', { message: 'old' }),
      authorize(accountId, '-5.00'),
      takeOut(post(accountId)),
    ];
    const early = post(accountId, '-6.00');
    const feeding = begin();
    // The commands refer to entries of the same group, of other groups and of an earlier message.
    await feeding.send(1, early);
    await feeding.answers(1);
    void feeding.send(
      2,
      begun,
      enrich(begun, 'one'),
      settle(begun),
      enrich(begun, 'two'),
      plan,
      enrich(plan, 'planned'),
      booked,
      enrich(booked, 'new'),
      enrich(early, 'late'),
      enrich(early, 'later'),
    );
    void feeding.send(
      20,
      { ...plan, $case: 'initiate' } as typeof begun,
      held,
      enrich(held, 'held'),
      fail(held),
    );
    void feeding.send(30, enrich(held, 'gone'), gone, enrich(gone, 'x'), enrich(post(accountId), 'x'));
    feeding.call.end();
    expect(await feeding.ended).toBeUndefined();
    expect(said(feeding)).toEqual([
      [1, '994.00'],
      [2, 'done'],
      [3, 'done'],
      [4, '992.00'],
      [5, 'done'],
      [6, 'done'],
      [7, 'done'],
      [8, '988.00'],
      [9, 'done'],
      [10, 'done'],
      [11, 'done'],
      [20, 'done'],
      [21, 'done'],
      [22, 'done'],
      [23, 'done'],
      [30, 'done'],
      [31, 'done'],
      [32, 'STATUS_INVALID'],
      [33, 'RESOURCE_UNKNOWN'],
    ]);
    const { rows } = await running.pool.query<{ id: string; status: string; message: string; title: string }>(
      `SELECT id, status, details ->> 'message' AS message, title FROM transaction WHERE account_id = $1 AND refusal IS NULL`,
      [accountId],
    );
    const of = ({ value: { transactionId } }: typeof begun) => rows.find(({ id }) => id === transactionId);
    expect(of(begun)).toMatchObject({ status: 'financial', message: 'two', title: 'Test' });
    expect(of(plan)).toMatchObject({ status: 'initiated', message: 'planned' });
    expect(of(booked)).toMatchObject({ status: 'financial', message: 'new' });
    expect(of(early)).toMatchObject({ status: 'financial', message: 'later', title: 'Test' });
    expect(of(held)).toMatchObject({ status: 'failed_authorization', message: 'gone' });
    expect(rows).toHaveLength(5);
    expect(await books(running.pool, [accountId])).toEqual([
      { balance: 98_800, reserved: 0, transactions: 6 },
    ]);
  });

  it('accepts many large entries, names the invalid one, and posts all others', async () => {
    const [accountId] = (await addAccounts(running.pool, 1)) as [string];
    const additionalInformation = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`key${at}`, 'x'.repeat(256)]),
    );
    const large = (message: string): Parameters<Feeding['send']>[1] =>
      post(accountId, '-0.01', { message, additionalInformation });
    const count = 600;
    const bad = 301;
    const feeding = begin();
    for (let first = 1; first <= count; first += 100)
      void feeding.send(
        first,
        ...Array.from({ length: 100 }, (_, at) => large((first + at === bad ? '\0' : 'm').repeat(1_000))),
      );
    feeding.call.end();
    expect(await feeding.ended).toBeUndefined();
    expect(feeding.results.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: count }, (_, at) => at + 1),
    );
    const refused = feeding.results.filter(({ refusal }) => refusal !== undefined);
    expect(refused).toMatchObject([
      { number: BigInt(bad), refusal: { errorCode: 'FORMAT_ERROR', faults: [{ path: 'message' }] } },
    ]);
    expect(await books(running.pool, [accountId])).toEqual([
      { balance: 100_000 - (count - 1), reserved: 0, transactions: count - 1 },
    ]);
  });

  it('ends at a number that does not increase, after the answers before it', async () => {
    const [accountId] = (await addAccounts(running.pool, 1)) as [string];
    for (const [numbers, answered] of [
      [
        [7, 8, 8, 9],
        [7, 8],
      ],
      [[7, 6], [7]],
      [[0], []],
    ] as const) {
      const feeding = begin();
      const entries = numbers.map((number) => ({ number: BigInt(number), entry: post(accountId) }));
      feeding.call.write({ entries });
      expect(await feeding.ended).toMatchObject({ code: 'FORMAT_ERROR', details: [{ path: 'number' }] });
      expect(feeding.results.map(({ number }) => Number(number))).toEqual(answered);
    }
    expect(await books(running.pool, [accountId])).toMatchObject([{ transactions: 3 }]);
  });

  it('ends at an invalid message', async () => {
    const client = new Client(running.grpcAddress, credentials.createInsecure());
    const call = client.makeBidiStreamRequest(
      LedgerServiceService.ingest.path,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
    );
    call.on('data', () => {});
    const error = new Promise((resolve) => call.on('error', resolve));
    call.write(Buffer.alloc(1_000, 0xff));
    expect(await error).toMatchObject({ code: 13, details: 'Error deserializing request' });
    client.close();
  });

  it('serves the maximum number of streams, and others when they have ended', async () => {
    const [accountId] = (await addAccounts(running.pool, 1)) as [string];
    const [first, second] = [begin(), begin()];
    for (const feeding of [first, second]) void feeding.send(1, post(accountId));
    for (const feeding of [first, second]) await feeding.answers(1);
    const third = begin();
    expect(await third.ended).toMatchObject({ code: 'RATE_LIMITED' });
    first.call.end();
    second.call.cancel();
    await first.ended;
    await until(
      async () => {
        const next = begin();
        void next.send(1, post(accountId));
        return (await Promise.race([next.ended, next.answers(1)])) === next.results;
      },
      { what: 'a place' },
    );
  });

  it('stops reading when its queue is full while an account is locked, and then continues', async () => {
    const [accountId] = (await addAccounts(running.pool, 1)) as [string];
    const [messages, each] = [120, 50];
    const holder = await running.pool.connect();
    const feeding = begin();
    let left = 0;
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
      for (let message = 0; message < messages; message++) {
        const entries = Array.from({ length: each }, () =>
          post(accountId, '-0.01', { title: 'x'.repeat(140), message: 'x'.repeat(1_000) }),
        );
        void feeding.send(1 + message * each, ...entries).then(() => (left += each));
      }
      let before = -1;
      await until(() => (left > 2_000 && left === before ? true : ((before = left), false)), {
        what: 'the stream to stand still',
      });
      expect(left).toBeLessThan(messages * each * 0.8);
      expect(feeding.results).toEqual([]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    feeding.call.end();
    expect(await feeding.ended).toBeUndefined();
    expect(feeding.results.filter(({ refusal }) => refusal !== undefined)).toEqual([]);
    expect(await books(running.pool, [accountId])).toMatchObject([
      { balance: 100_000 - messages * each, transactions: messages * each },
    ]);
  });
});

describe('an idle stream', () => {
  it('ends, whether the bank sends nothing or reads nothing; received entries are posted', async () => {
    const brief = await startAccountInformation({ env: { INGEST_IDLE_SECONDS: '1', INGEST_STREAMS: '1' } });
    try {
      const [accountId] = (await addAccounts(brief.pool, 1)) as [string];
      const feeding = feed(brief.grpcAddress);
      void feeding.send(1, post(accountId));
      expect(await feeding.ended).toMatchObject({ code: 'UNAVAILABLE' });
      expect(feeding.results).toHaveLength(1);
      feeding.close();

      const deaf = feed(brief.grpcAddress);
      deaf.call.pause();
      // A refusal is longer than its entry.
      for (let message = 0; message < 30; message++)
        void deaf.send(1 + message * 100, ...Array.from({ length: 100 }, () => post('none', 'x')));
      const next = await until(
        async () => {
          const other = feed(brief.grpcAddress);
          void other.send(1, post(accountId));
          if ((await Promise.race([other.ended, other.answers(1)])) === other.results) return other;
          other.close();
          return undefined;
        },
        { what: 'the place of the stream that nobody reads' },
      );
      expect(await books(brief.pool, [accountId])).toMatchObject([{ transactions: 2 }]);
      next.close();
      deaf.close();
    } finally {
      await brief.close();
    }
  });
});
