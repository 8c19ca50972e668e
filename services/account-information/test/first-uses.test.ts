import { until } from '@kontoport/embedded/wait';
import type { Answer } from '@kontoport/testing/answer';
import { type Reader, type Running, SIMULATED, startAccountInformation } from './running.ts';

const ORGANIZATION = { organizationIdentifier: 'PSDDK-DFSA-4711' };

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

/** Blocks every copy in the database until `work` ends; reads continue. */
async function whileCopiesWait<T>(work: () => Promise<T>): Promise<T> {
  const lock = await running.pool.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE sandbox_client IN SHARE MODE');
    return await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

async function copiesWaiting(): Promise<number> {
  const { rows } = await running.pool.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(rows[0]!.count);
}

/** Requests the accounts of all readers at once, and returns the answers so far. */
function askAll(readers: readonly Reader[]) {
  const answered: Answer[] = [];
  const all = Promise.all(
    readers.map(async (reader) => {
      const answer = await reader.get('/accounts');
      answered.push(answer);
      return answer;
    }),
  );
  return { answered, all };
}

const strangers = (count: number, options?: typeof ORGANIZATION): Promise<Reader[]> =>
  Promise.all(Array.from({ length: count }, () => running.addTpp(options)));

describe('concurrent first uses of the sandbox are limited (§Sandbox, §7)', () => {
  it('refuses further ones at once, while clients with data are served', async () => {
    const neighbour = await running.addTpp();
    const { id } = await neighbour.account();
    const [late, unseen, ...first] = await strangers(8);
    const { answered, all } = await whileCopiesWait(async () => {
      const asked = askAll(first);
      await until(() => asked.answered.length === 2, { what: 'two of six to be refused' });
      for (const { status, headers, body } of asked.answered) {
        expect([status, body.errorCode]).toEqual([503, 'UNAVAILABLE']);
        expect(headers.get('retry-after')).toBe('1');
      }
      const busy = {
        code: 'UNAVAILABLE',
        retryAfterSeconds: 1,
        message: expect.stringMatching(/^Test data of other clients/) as string,
      };
      await expect(running.getAccount(unseen!.clientId, id)).rejects.toMatchObject(busy);
      await expect(running.listConsents(unseen!.clientId)).rejects.toMatchObject(busy);

      expect(await neighbour.accounts()).toHaveLength(SIMULATED.open);
      expect((await neighbour.page(id)).posted).not.toEqual([]);
      expect((await running.getAccount(neighbour.clientId, id)).accountId).toBe(id);
      expect((await running.post({ accountId: id })).transactionId).toEqual(expect.any(String));
      expect(asked.answered).toHaveLength(2);
      return asked;
    });
    await all;
    expect(answered.slice(2).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await late!.accounts()).toHaveLength(SIMULATED.open);
  });

  it('counts concurrent first uses of one client once, and creates its data once', async () => {
    const [twin, ...others] = await strangers(4);
    const asked = await whileCopiesWait(async () => {
      const all = [askAll([twin!, twin!, twin!, twin!, twin!, twin!]), askAll(others)];
      await until(async () => (await copiesWaiting()) === 4, { what: 'four copies to wait' });
      return all;
    });
    for (const { all } of asked)
      expect((await all).map(({ status }) => status)).toEqual(expect.not.arrayContaining([503]));
  });

  it('leaves half of the places to other organizations', async () => {
    const [many, other] = [await strangers(4, ORGANIZATION), await running.addTpp()];
    const asked = await whileCopiesWait(async () => {
      const ofOne = askAll(many);
      await until(() => ofOne.answered.length === 2, { what: 'two of four to be refused' });
      await until(async () => (await copiesWaiting()) === 2, { what: 'two copies' });
      const ofOther = askAll([other]);
      await until(async () => (await copiesWaiting()) === 3, { what: 'the copy of the other' });
      return ofOther;
    });
    expect((await asked.all)[0]!.status).toBe(200);
  });
});
