import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { openPlanning, type Planning, rowsRead } from '@kontoport/testing/statement-work';
import { deleteFamiliesOf } from '../src/token/token-family.repository.ts';
import { newTokens, type Origins } from './code-flow.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

/** Families of a client, the oldest consent first. */
const INSERT = `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until,
                                          forget_at)
  SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), '{PSP_AI}', now(), now() + interval '1 day', now(),
         now() + interval '1 day' FROM generate_series(1, $2)`;

describe('the token families of a deleted client go with it (§4.2, §5.9)', () => {
  let around: Surroundings;
  beforeAll(async () => {
    around = await surroundAuth({ accounts: 'sandbox' });
  });
  afterAll(() => around.close());

  const familiesOf = async (clientId: string): Promise<number> => {
    const text = 'SELECT count(*)::int AS count FROM token_family WHERE client_id = $1';
    return (await sql<{ count: number }>(around.database.url, text, [clientId]))[0]!.count;
  };
  const gone = (clientId: string) =>
    until(async () => (await familiesOf(clientId)) === 0, { what: 'the families to go' });

  it('all of them in batches, those of no other client, and also when auth was down meanwhile', async () => {
    const at: Origins & { close(): Promise<void> } = await around.start();
    const [mine, late, neighbour] = [
      await around.peers.addTpp(),
      await around.peers.addTpp(),
      await around.peers.addTpp(),
    ];
    for (const tpp of [mine, late, neighbour]) await newTokens(at, tpp);
    await sql(around.database.url, INSERT, [mine.clientId, 1_500]);
    expect(await familiesOf(mine.clientId)).toBe(1_501);
    around.peers.deleteTpp(mine);
    await gone(mine.clientId);
    expect([await familiesOf(late.clientId), await familiesOf(neighbour.clientId)]).toEqual([1, 1]);

    await at.close();
    around.peers.deleteTpp(late);
    expect(await familiesOf(late.clientId)).toBe(1);
    await around.start();
    await gone(late.clientId);
    expect(await familiesOf(neighbour.clientId)).toBe(1);
  });
});

describe.each(['never', 'before', 'after'])(
  'what goes is found without reading the families of others, statistics taken %s they came (§4.2)',
  (analyzed) => {
    const clientId = randomUUID();
    let planning: Planning;
    beforeAll(async () => {
      planning = await openPlanning('auth');
      const { pool } = planning;
      if (analyzed === 'before') await pool.query('ANALYZE');
      for (let client = 0; client < 20; client += 1) await pool.query(INSERT, [randomUUID(), 500]);
      await pool.query(INSERT, [clientId, 3]);
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => planning.close());

    it.each([
      ['one client', 0],
      ['a thousand clients', 999],
    ])('for %s', async (_name, others) => {
      const clientIds = [...Array.from({ length: others }, () => randomUUID()), clientId];
      for (const connection of planning.connections) {
        const work = async (tx: Tx): Promise<void> => {
          expect(await deleteFamiliesOf(tx, { clientIds, limit: 1_000 })).toBe(3);
        };
        expect(await rowsRead(connection, work)).toBeLessThanOrEqual(10);
      }
    });

    it('and no more than are asked for', async () => {
      const [connection] = planning.connections;
      const work = async (tx: Tx): Promise<void> => {
        expect(await deleteFamiliesOf(tx, { clientIds: [clientId], limit: 2 })).toBe(2);
      };
      await rowsRead(connection, work);
    });
  },
);
