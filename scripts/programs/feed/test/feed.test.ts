import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { kontoport } from '@kontoport/testing/kontoport';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { type Line, linesOf } from '../src/lines.ts';

const PROGRAM = join(import.meta.dirname, '../../kontoport/kontoport.mjs');
const TRANSACTIONS = 4_000;

let folder: string;
let address: string;
let env: Record<string, string>;
let pool: ReturnType<typeof openTestPool>;
let service: ReturnType<typeof startServiceProcess>;
const stops: (() => Promise<unknown>)[] = [];

const start = async () => {
  service = startServiceProcess({ service: 'account-information', env });
  await service.ready();
};
const file = (name: string): string => join(folder, name);
const feed = (name: string, ...options: string[]) =>
  kontoport(['feed', file(name), '--address', address, ...options]);
const count = async (where: string): Promise<number> =>
  Number((await pool.query<{ count: string }>(`SELECT count(*) FROM transaction ${where}`)).rows[0]!.count);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-feed-'));
  const [peers, database] = [await startFakePeers(), await testDatabase('account-information')];
  const broker = await startEmbeddedKafka([topics.postings]);
  const grpcPort = await freePort();
  address = `127.0.0.1:${grpcPort}`;
  env = {
    ...peers.env,
    GRPC_PORT: String(grpcPort),
    OPS_PORT: String(await freePort()),
    DATABASE_URL: database.url,
    KAFKA_BROKERS: broker.brokers.join(','),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
  };
  pool = openTestPool(database.url);
  stops.push(
    () => service.kill(),
    () => pool.end(),
    () => broker.stop(),
    () => database.drop(),
    () => peers.close(),
  );
  await start();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('kontoport feed (ADR-0021)', () => {
  it('books a file once, whatever is killed meanwhile', async () => {
    const made = await kontoport(['feed', file('bank'), '--make', String(TRANSACTIONS)]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const first = spawn(process.execPath, [PROGRAM, 'feed', file('bank'), '--address', address], {
      stdio: 'ignore',
    });
    const gone = once(first, 'exit');
    await until(async () => (await count('')) > 500, { what: 'the first transactions' });
    await service.kill('SIGKILL');
    const before = await count('');
    await start();
    // The program reconnects to the ledger by itself.
    await until(async () => (await count('')) > before, { what: 'more of them' });
    first.kill('SIGKILL');
    await gone;

    const { line } = JSON.parse(readFileSync(file('bank.state'), 'utf8')) as { line: number };
    expect(line).toBeGreaterThan(0);
    const { status, stdout, stderr } = await feed('bank');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`Goes on after line ${line}.`);
    expect(stdout).toContain('(100 %)');
    expect(existsSync(file('bank.refused'))).toBe(false);
    expect(await count('')).toBe(TRANSACTIONS);
    expect(await count("WHERE status = 'financial'")).toBe(TRANSACTIONS);
    expect(await count('WHERE authorized_amount IS NOT NULL')).toBe(TRANSACTIONS / 10);
    const { rows } = await pool.query(
      `SELECT count(*)::int AS accounts, sum(balance)::int AS balance, sum(reserved)::int AS reserved,
         bool_and(balance = opening_balance + (SELECT sum(billing_amount) FROM transaction
           WHERE account_id = account.id)) AS even FROM account`,
    );
    expect(rows).toEqual([{ accounts: 100, balance: 10_000_000, reserved: 0, even: true }]);

    const again = await feed('bank');
    expect(again).toMatchObject({ status: 0, stderr: '' });
    expect(await count('')).toBe(TRANSACTIONS);
  }, 120_000);

  it('names every line that is refused, and books the others', async () => {
    const account = { accountId: '00000000-0000-4000-8000-000000000001', bban: '66950000000001' };
    const post = (reference: string, more: object = {}) => ({
      post: {
        accountId: account.accountId,
        reference,
        amount: { value: '-1.00', currency: 'DKK' },
        type: 'card',
        ...more,
      },
    });
    const lines = [
      { account: { ...account, userId: account.accountId, name: 'A', type: 'CHECKING', currency: 'DKK' } },
      post('1'),
      'no JSON',
      { pay: {} },
      '',
      post('2', { amount: { value: '1', currency: 'XXX' } }),
      post('3', { transactionTime: 'yesterday' }),
      { post: null },
      `"${'x'.repeat(200_000)}"`,
      { account: { ...account, currency: 'none' } },
      post('4'),
    ];
    writeFileSync(
      file('mixed'),
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
    const { status, stdout } = await feed('mixed');
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining('11 lines (100 %)') });
    const refused = readFileSync(file('mixed.refused'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number; refusal: string });
    expect(refused.map(({ line }) => line)).toEqual([3, 4, 6, 7, 8, 9, 10]);
    expect(refused[2]!.refusal).toMatch(/^FORMAT_ERROR: /);
    expect(await count(`WHERE account_id = '${account.accountId}'`)).toBe(2);

    appendFileSync(file('mixed'), `\n${JSON.stringify(post('5'))}\n`);
    await feed('mixed');
    expect(await count(`WHERE account_id = '${account.accountId}'`)).toBe(3);
  });

  it('ends in good order at Ctrl-C and goes on later', async () => {
    await kontoport(['feed', file('long'), '--make', '50000']);
    const child = spawn(process.execPath, [PROGRAM, 'feed', file('long'), '--address', address], {
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await until(() => existsSync(file('long.state')), { what: 'the first answers' });
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(1);
    const { line, offset } = JSON.parse(readFileSync(file('long.state'), 'utf8')) as Record<string, number>;
    expect(readFileSync(file('long')).subarray(0, offset).toString().split('\n')).toHaveLength(line! + 1);
  });

  it('says what it cannot use', async () => {
    writeFileSync(file('odd'), '');
    writeFileSync(file('odd.state'), '{"line":-1}');
    expect(await feed('odd')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('odd.state is no state'),
    });
    writeFileSync(file('odd.state'), '{"line":3,"offset":99,"refused":0}');
    expect(await feed('odd')).toMatchObject({ status: 2, stderr: expect.stringContaining('is shorter') });
    expect(await feed('absent')).toMatchObject({ status: 2 });
    expect(await feed('odd', '--make', '0')).toMatchObject({ status: 2 });
    expect(await feed('odd', '--make', '5')).toMatchObject({ status: 2 });
  });
});

describe('the lines of a file', () => {
  it('are those of any beginning that ended with a line', async () => {
    const texts = [
      'a',
      '',
      'æ'.repeat(40_000),
      'x'.repeat(64 * 1024),
      'y'.repeat(64 * 1024 + 1),
      'z'.repeat(300_000),
      'b',
    ];
    writeFileSync(file('lines'), texts.join('\n'));
    const expected = texts.map((text) => (Buffer.byteLength(text) > 64 * 1024 ? undefined : text));
    const after = async (place: { line: number; offset: number }): Promise<Line[]> => {
      const lines: Line[] = [];
      for await (const line of linesOf(file('lines'), place)) lines.push(line);
      return lines;
    };
    const all = await after({ line: 0, offset: 0 });
    expect(all.map(({ text }) => text)).toEqual(expected);
    for (const { number, offset } of all) {
      expect(await after({ line: number, offset })).toEqual(all.slice(number));
    }
  });
});
