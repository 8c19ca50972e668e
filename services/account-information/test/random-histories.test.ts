import { randomUUID } from 'node:crypto';
import { type Reader, type Running, startAccountInformation, type TransactionBody } from './running.ts';

let running: Running;
let tpp: Reader;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
});
afterAll(() => running.close());

/** Returns the same numbers for the same seed, so that a failure can be reproduced (mulberry32). */
function seeded(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return { below, one: <T>(values: readonly T[]): T => values[below(values.length)]! };
}

type Random = ReturnType<typeof seeded>;

/** Few instants for many transactions, so that equal times are frequent. */
const MOMENTS = [0, 1, 2, 3, 1_000, 60_000, 60_001].map((ms) => new Date(Date.UTC(2026, 0, 15) + ms));

/** An account with a random history. */
async function accountWith(
  random: Random,
): Promise<{ id: string; posted: string[]; pending: string[]; begun: string[] }> {
  const { id } = await tpp.account('Budgetkonto');
  await running.pool.query('DELETE FROM transaction WHERE account_id = $1', [id]);
  await running.pool.query('UPDATE account SET reserved = 0 WHERE id = $1', [id]);
  const insert = async (count: number, status: 'financial' | 'authorization'): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    await running.pool.query(
      `INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount, title, details)
       SELECT row.id, $1, $2, 'unknown', row.at, CASE WHEN $2 = 'financial' THEN row.at END, 1, 'Test', '{}'
       FROM unnest($3::uuid[], $4::timestamptz[]) AS row (id, at)`,
      [id, status, ids, ids.map(() => random.one(MOMENTS))],
    );
    return ids;
  };
  return {
    id,
    posted: await insert(20 + random.below(80), 'financial'),
    pending: await insert(15 + random.below(15), 'authorization'),
    /** Initiated or planned; the V2 list omits them. */
    begun: [],
  };
}

/** A random action of the bank, at a random instant: settles, books late, fails or authorizes. */
async function happen(
  random: Random,
  account: { id: string; pending: string[]; begun: string[] },
): Promise<void> {
  const accountId = account.id;
  const postingTime = random.one([...MOMENTS, undefined]);
  const kind = random.one([
    'settle',
    'settle',
    'fail',
    'post',
    'authorize',
    'initiate',
    'schedule',
    'go on',
  ] as const);
  // Of the pending ones in the V2 list, or of the others.
  const waiting = random.below(3) === 0 ? account.begun : account.pending;
  const [transactionId] =
    kind === 'settle' || kind === 'fail' ? waiting.splice(random.below(waiting.length), 1) : [];
  switch (kind) {
    case 'settle':
      if (transactionId !== undefined) await running.settle({ transactionId, accountId, postingTime });
      break;
    case 'fail':
      if (transactionId !== undefined) await running.fail(transactionId, accountId);
      break;
    case 'post':
      await running.post({ accountId, postingTime });
      break;
    case 'authorize':
      await running.authorize({ accountId, transactionTime: random.one(MOMENTS) });
      break;
    case 'initiate':
    case 'schedule': {
      const id = randomUUID();
      const transactionTime = random.one(MOMENTS);
      await running[kind]({ transactionId: id, accountId, transactionTime });
      account.begun.push(id);
      break;
    }
    case 'go on':
      if (account.begun.length > 0)
        await running.initiate({ transactionId: random.one(account.begun), accountId });
      break;
  }
}

const placeOf = ({ postingTime, id }: TransactionBody): string => `${postingTime} ${id}`;
const SEEDS = Array.from({ length: 8 }, (_, seed) => seed + 1);

describe('the V2 list during changes of the account (§2.8, §4.3, ADR-0019)', () => {
  it.each(SEEDS)('loses, repeats and overlaps nothing of a random history (seed %i)', async (seed) => {
    const random = seeded(seed);
    const account = await accountWith(random);
    const before = [...account.posted];
    const limit = [1, 500, 2, 3, 7, 10, 19, 40][seed - 1]!;
    const seen: TransactionBody[] = [];
    let cursor: string | undefined;
    do {
      const changes = Array.from({ length: 1 + random.below(2) }, () => happen(random, account));
      const page = await tpp.page(account.id, cursor === undefined ? { limit } : { limit, cursor });
      await Promise.all(changes);
      expect(page.pending.filter(({ status }) => status !== 'authorization')).toEqual([]);
      const both = [...page.pending, ...page.posted].map(({ id }) => id);
      expect(new Set(both).size).toBe(both.length);
      expect(page.posted.length).toBeLessThanOrEqual(limit);
      // The first page may include transactions settled during its request. Later pages include no newly settled ones.
      seen.push(...page.posted);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const places = seen.map(placeOf);
    expect(places).toEqual(places.toSorted().toReversed());
    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(before));

    const { rows } = await running.pool.query<{ id: string }>(
      `SELECT id FROM transaction WHERE account_id = $1 AND status = 'financial' ORDER BY posting_time DESC, id DESC`,
      [account.id],
    );
    expect((await tpp.posted(account.id, { limit: 7 })).map(({ id }) => id)).toEqual(
      rows.map(({ id }) => id),
    );
    const listed = (await flat(account.id, 0, 500)).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining(account.begun));
  });
});

async function flat(id: string, offset: number, limit: number): Promise<TransactionBody[]> {
  const { status, body } = await tpp.get(`/accounts/${id}/transactions?offset=${offset}&limit=${limit}`);
  expect(status).toBe(200);
  return body.transactions as TransactionBody[];
}
