import { openPool } from '@kontoport/database';
import { continueTrace } from '@kontoport/runtime';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { recordSpans } from '@kontoport/testing/recorded-spans';
import type pg from 'pg';

const PARENT = 'b7ad6b7169203331';
const traceOf = (digit: string): string => digit.repeat(32);

let database: TestDatabase;
let spans: ReturnType<typeof recordSpans>;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = openPool({ url: database.url, applicationName: 'test', max: 1 });
  await pool.query('CREATE TABLE note (id int PRIMARY KEY, text text)');
  spans = recordSpans();
});
afterAll(async () => {
  spans.close();
  await pool.end();
  await database.drop();
});

const inSampled = <T>(work: () => Promise<T>, digit = 'a'): Promise<T> =>
  continueTrace(`00-${traceOf(digit)}-${PARENT}-01`, work);

const INSERT = { name: 'note-add', text: 'INSERT INTO note VALUES ($1, $2)' };

describe('the span of a query', () => {
  it('is named by its statement, and tells neither text nor values', async () => {
    await inSampled(() => pool.query({ ...INSERT, values: [1, 'hidden'] }));
    expect(spans.take()).toEqual([
      {
        name: 'note-add',
        kind: 'CLIENT',
        traceId: traceOf('a'),
        spanId: expect.any(String),
        parentSpanId: PARENT,
        attributes: {
          'db.system.name': 'postgresql',
          'db.namespace': new URL(database.url).pathname.slice(1),
          'db.query.summary': 'note-add',
        },
        isError: false,
        links: [],
      },
    ]);
  });

  it.each([
    ["SELECT text FROM note WHERE text = 'hidden'", 'SELECT note'],
    ['select 1', 'SELECT'],
    ['UPDATE "public"."note" SET text = NULL WHERE id = 7', 'UPDATE note'],
    ['DELETE FROM note WHERE id = 7', 'DELETE note'],
  ])('of %j without a name says what it does with which table', async (text, name) => {
    await inSampled(async () => {
      await pool.query(text);
      const client = await pool.connect();
      await client.query({ text }).finally(() => client.release());
    });
    expect(spans.take().map((span) => [span.name, span.isError])).toEqual([
      [name, false],
      [name, false],
    ]);
  });

  it('tells of an error its code, not the words of the database, which quote values', async () => {
    const again = inSampled(() => pool.query({ ...INSERT, values: [1, 'hidden'] }));
    await expect(again).rejects.toThrow('duplicate key');
    const [span, ...more] = spans.take();
    expect(span).toMatchObject({
      isError: true,
      attributes: { 'error.type': '23505', 'db.response.status_code': '23505' },
    });
    expect(JSON.stringify(span)).not.toMatch(/hidden|duplicate/);
    expect(more).toEqual([]);
  });

  it('belongs to who asked for it, also where it waited for a connection of another', async () => {
    const client = await inSampled(() => pool.connect(), 'b');
    const waiting = inSampled(() => pool.query('SELECT 1'), 'c');
    const unsampled = continueTrace(`00-${traceOf('d')}-${PARENT}-00`, () => pool.query('SELECT 2'));
    await inSampled(async () => client.release(), 'b');
    await Promise.all([waiting, unsampled]);
    expect(spans.take().map(({ traceId }) => traceId)).toEqual([traceOf('c')]);
  });

  it('is not made outside of a trace that is sampled', async () => {
    await pool.query('SELECT 1');
    await continueTrace(undefined, () => pool.query('SELECT 1'));
    expect(spans.take()).toEqual([]);
  });
});
