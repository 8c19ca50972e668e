import { join } from 'node:path';
import { testDatabase } from '@kontoport/testing/postgres';
import { runTraced } from '@kontoport/testing/traced-process';

describe('the span of a query', () => {
  it('has the text of the statement, no values and no message of the database; there is none outside of a span', async () => {
    const database = await testDatabase();
    try {
      const { spans, sent } = await runTraced(join(import.meta.dirname, 'fixtures/traced-queries.ts'), {
        DATABASE_URL: database.url,
      });
      const queries = spans.filter(({ name }) => name !== 'request');
      expect(queries.map(({ attributes }) => attributes['db.query.text'])).toEqual([
        'SELECT $1::text',
        'SELECT $1::int',
      ]);
      expect(queries[0]!.name).toMatch(/^pg\.query:greet /);
      const request = spans.find(({ name }) => name === 'request')!;
      for (const { parentSpanId } of queries) expect(parentSpanId).toBe(request.spanId);
      expect(sent).not.toContain('hidden');
    } finally {
      await database.drop();
    }
  });
});
