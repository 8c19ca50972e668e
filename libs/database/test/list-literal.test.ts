import { testDatabase } from '@kontoport/testing/postgres';
import { documentLines, documentsParameter, listLiteral, openPool } from '../src/index.ts';

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
      '"\n\t\r\f\b"',
      '"\u0001\u001f"',
      '"\u007f\u0085\u2028\ufeff🥪',
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
    // Half a character is none, as the driver itself would send it.
    const halves = await pool.query<{ texts: string[] }>('SELECT $1::text[] AS texts', [
      listLiteral(['"\ud83e', '\ude6a"']),
    ]);
    expect(halves.rows).toEqual([{ texts: ['"\ufffd', '\ufffd"'] }]);
    await pool.end();
    await database.drop();
  });
});

describe('documents of JSON as a parameter', () => {
  it.each([
    { what: 'none', documents: [] },
    { what: 'one', documents: [{}] },
    {
      what: 'what a list or a line would need a mark for',
      documents: [
        'two\nlines',
        { a: '"\\{},\r\u2028\u0085' },
        null,
        ['NULL', '', ' '],
        '\ud83e',
        'æ🥪',
        { 'key\n': '\t' },
      ],
    },
  ])('come back from PostgreSQL as they were: $what', async ({ documents }) => {
    const database = await testDatabase();
    const pool = openPool({ url: database.url, applicationName: 'documents' });
    const texts = documents.map((document) => JSON.stringify(document));
    const { rows } = await pool.query(
      `SELECT ${documentsParameter(1)} AS texts, ${documentsParameter(1)}::json[]::text[] AS documents`,
      [documentLines(texts)],
    );
    expect(rows).toEqual([{ texts, documents: texts }]);
    await pool.end();
    await database.drop();
  });
});
