import { kontoport } from '@kontoport/testing/kontoport';
import { runSql, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const migrate = (service: string, env: NodeJS.ProcessEnv = { DATABASE_URL: database.url }) =>
  kontoport(['migrate', service], { env: { PATH: process.env.PATH, ...env } });

describe('kontoport migrate', () => {
  it('applies each migration of a service once, and prints its name', async () => {
    const first = await migrate('payments');
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout.split('\n')[0]).toBe('20261122141000_init');
    expect(await migrate('payments')).toEqual({ status: 0, stdout: 'nothing is pending\n', stderr: '' });
  });

  it('prints the message of the database, and ends with 1', async () => {
    await runSql(database.url, 'DROP TABLE _prisma_migrations');
    const said = await migrate('payments');
    const stderr = 'kontoport migrate: 20261122141000_init: relation "draft" already exists\n';
    expect(said).toEqual({ status: 1, stdout: '', stderr });
    const nobody = await migrate('payments', { DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    expect(nobody).toMatchObject({ status: 1, stdout: '' });
    expect(nobody.stderr).toMatch(/^kontoport migrate: .*ECONNREFUSED/);
  });

  it('names a wrong variable or service, and ends with 2', async () => {
    const unset = await migrate('payments', {});
    expect([unset.status, unset.stderr]).toEqual([2, expect.stringContaining('DATABASE_URL')]);
    const unknown = await migrate('payment');
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/'payment' is invalid.* payments,/),
    ]);
  });
});
