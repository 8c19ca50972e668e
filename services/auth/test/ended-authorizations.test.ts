import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;

beforeAll(async () => {
  around = await surroundAuth();
}, 120_000);
afterAll(() => around.close());

const change = (statement: string, values: unknown[]): Promise<object[]> =>
  sql(around.database.url, statement, values);
const clientsOf = async (table: string): Promise<string[]> => {
  const rows = await sql<{ client: string }>(
    around.database.url,
    `SELECT DISTINCT client_id AS client FROM ${table}`,
  );
  return rows.map(({ client }) => client);
};

/** Adds decisions of a client with this age. */
const decided = (client: string, age: string, count = 1): Promise<object[]> =>
  change(
    `INSERT INTO authorization_decision
       (authorization_id, client_id, outcome, redirect_uri, code_challenge, account_ids, roles, decided_at)
     SELECT gen_random_uuid(), $1, 'REFUSED', 'https://tpp.test/', repeat('x', 43), '{}', '{}', now() - $2::interval
     FROM generate_series(1, $3)`,
    [client, age, count],
  );

/** Adds families of a client whose last token and consent ended this long ago. */
const given = (client: string, age: string, count = 1): Promise<object[]> =>
  change(
    `INSERT INTO token_family
       (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until, forget_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), '{PSP_AI}', now() - interval '2 days',
       now() - $2::interval, now() - $2::interval, now() - $2::interval
     FROM generate_series(1, $3)`,
    [client, age, count],
  );

describe('expired authorizations (§5.9)', () => {
  it('are deleted when their request, code and tokens have expired, and not before', async () => {
    const [old, kept] = [randomUUID(), randomUUID()];
    await decided(old, '61 minutes', 1_001);
    await decided(kept, '50 minutes');
    await given(old, '2 minutes', 1_001);
    // Clocks may differ by a minute.
    await given(kept, '0 s');
    const { close } = await around.start();
    for (const table of ['authorization_decision', 'token_family'])
      await until(async () => !(await clientsOf(table)).includes(old), {
        what: `the end of what is over in ${table}`,
      });
    expect(await clientsOf('authorization_decision')).toEqual([kept]);
    expect(await clientsOf('token_family')).toEqual([kept]);
    await close();
  });
});
