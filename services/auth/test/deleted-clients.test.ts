import { until } from '@kontoport/embedded/wait';
import { newTokens, type Origins } from './code-flow.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

/** Inserts families of a client, the oldest consent first. */
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
