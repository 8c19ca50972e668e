import { testDatabase } from '@kontoport/testing/postgres';
import { listLiteral, openPool } from '../src/index.ts';

describe('a list as a parameter', () => {
  it('comes back from PostgreSQL as it was', async () => {
    const database = await testDatabase();
    const pool = openPool({ url: database.url, applicationName: 'list-literal' });
    const texts = [
      '',
      'a',
      'NULL',
      'null',
      '{}',
      '{"a":"b\\n\\"c"}',
      '\\',
      '"',
      ',',
      ' a ',
      "'",
      'æ🥪',
      '\n\t',
      '$&',
      null,
    ];
    const numbers = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), null];
    const { rows } = await pool.query<{ texts: string[]; numbers: string[]; none: string[] }>(
      'SELECT $1::text[] AS texts, $2::bigint[] AS numbers, $3::uuid[] AS none',
      [texts, numbers, []].map(listLiteral),
    );
    expect(rows).toEqual([
      { texts, numbers: numbers.map((each) => (each === null ? null : String(each))), none: [] },
    ]);
    await pool.end();
    await database.drop();
  });
});
