import { type Tx } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { openTestPool } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { asked, authorizeUrl, pkce, TestBrowser, type Visit } from './browser.ts';
import { newCode, type Origins, redeem, refresh } from './code-flow.ts';
import { formsOf, headingOf, onwardsOf } from './page.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;
let service: ServiceProcess;
let pool: ReturnType<typeof openTestPool>;
let lock: Tx & { release(): void };
let at: Origins;
let tpp: TestTpp;
let env: Record<string, string>;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  const [http, user, ops] = [await freePort(), await freePort(), await freePort()];
  at = { origin: `http://127.0.0.1:${http}`, userOrigin: `http://127.0.0.1:${user}` };
  env = { ...around.env, HTTP_PORT: String(http), USER_PORT: String(user), OPS_PORT: String(ops) };
  pool = openTestPool(around.database.url);
  lock = await pool.connect();
  await restart();
  tpp = await around.peers.addTpp();
  await newCode(at, tpp);
});
afterEach(async () => {
  await lock.query('ROLLBACK');
  await service.kill('SIGKILL');
  await restart();
});
afterAll(async () => {
  await service.kill('SIGKILL');
  lock.release();
  await pool.end();
  await around.close();
});

async function restart(): Promise<void> {
  service = startServiceProcess({ service: 'auth', env });
  await service.ready();
}

/** Counts auth's sessions in the database, or only those that wait for a lock. */
async function sessions(state: 'any' | 'waiting'): Promise<number> {
  const { rows } = await lock.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'auth%'
       AND ($1 = 'any' OR wait_event_type = 'Lock')`,
    [state],
  );
  return rows[0]!.count;
}

/**
 * Kills auth with -9 while `work` waits for `table`, and restarts it. The database finishes the waiting statement without a
 * client, and rolls back the uncommitted transaction.
 */
async function killDuring(work: () => Promise<unknown>, table: string): Promise<void> {
  await lock.query('BEGIN');
  await lock.query(`LOCK TABLE ${table} IN SHARE MODE`);
  const broken = work().then(
    () => 'answered',
    () => 'broken',
  );
  await until(async () => (await sessions('waiting')) > 0, { what: 'the work waits' });
  await service.kill('SIGKILL');
  await lock.query('ROLLBACK');
  expect(await broken).toBe('broken');
  await until(async () => (await sessions('any')) === 0, { what: 'the database noticed' });
  await restart();
}

async function rows<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
  return sql<Row>(around.database.url, statement, values);
}

describe('kill -9 of auth while a user decides (§5.9)', () => {
  /** Opens a request up to the page that asks for accounts, and fills its form with the first account. */
  async function ready(): Promise<{ browser: TestBrowser; path: string; yes: Record<string, string> }> {
    const browser = new TestBrowser();
    const parameters = asked(tpp.clientId, { login_hint: 'private-dk' });
    const { location } = await browser.visit(authorizeUrl(at.userOrigin, parameters));
    const { user } = formsOf(await browser.visit(at.userOrigin + location!));
    const { value } = user!.choices.find(({ checked }) => checked)!;
    const chosen = await browser.send(at.userOrigin + user!.action, { ...user!.fields, user: value });
    const { approve } = formsOf(await browser.visit(at.userOrigin + chosen.location!));
    return {
      browser,
      path: approve!.action,
      yes: { ...approve!.fields, [approve!.choices[0]!.name]: 'on' },
    };
  }

  it('gives a repeated form the stored answer', async () => {
    const { browser, path, yes } = await ready();
    const submit = (): Promise<Visit> => browser.send(at.userOrigin + path, yes);
    const stored = () => rows('SELECT FROM authorization_decision WHERE client_id = $1', [tpp.clientId]);
    const before = (await stored()).length;
    await killDuring(submit, 'authorization_decision');
    expect((await stored()).length).toBe(before + 1);
    const answer = await submit();
    const code = onwardsOf(answer).searchParams.get('code');
    expect([answer.status, code]).toEqual([200, expect.stringMatching(/^[\w-]{20,}$/)]);
    expect((await stored()).length).toBe(before + 1);

    // This answer may be lost, too.
    await service.kill('SIGKILL');
    await restart();
    expect(onwardsOf(await submit()).href).toBe(onwardsOf(answer).href);
    expect((await stored()).length).toBe(before + 1);
    const again = await browser.visit(at.userOrigin + path.slice(0, path.lastIndexOf('/')));
    expect([again.status, headingOf(again)]).toEqual([409, 'You have already answered']);
  });
});

describe('kill -9 of auth while a code is redeemed (§5.9)', () => {
  const familiesOf = (consentId: string) =>
    rows<{ id: string; ended_at: Date | null }>(
      'SELECT id, ended_at FROM token_family WHERE consent_id = $1',
      [consentId],
    );
  const consentOf = async (): Promise<string> => {
    const [last] = await rows<{ id: string }>(
      `SELECT consent_id AS id FROM authorization_decision WHERE client_id = $1 ORDER BY decided_at DESC LIMIT 1`,
      [tpp.clientId],
    );
    return last!.id;
  };

  it('before its use leaves it valid, for one consent and one family', async () => {
    const { verifier, challenge } = pkce();
    const { code } = await newCode(at, tpp, { code_challenge: challenge });
    const consentId = await consentOf();
    await killDuring(() => redeem(at, tpp, { code, verifier }), 'token_family');
    expect(await familiesOf(consentId)).toEqual([]);
    const { status, body } = await redeem(at, tpp, { code, verifier });
    expect(status).toBe(200);
    const [{ consentId: told }] = body.authorization_details as [{ consentId: string }];
    expect(told).toBe(consentId);
    expect(await familiesOf(consentId)).toEqual([{ id: expect.any(String) as string, ended_at: null }]);
    expect((await refresh(at, tpp, String(body.refresh_token))).status).toBe(200);
  });

  it('after its use refuses it, ends its tokens and leaves no second family', async () => {
    const given = await newCode(at, tpp);
    const consentId = await consentOf();
    const lost = await redeem(at, tpp, given);
    expect(lost.status).toBe(200);
    await service.kill('SIGKILL');
    await restart();
    const { status, body } = await redeem(at, tpp, given);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect(await familiesOf(consentId)).toEqual([
      { id: expect.any(String) as string, ended_at: expect.any(Date) as Date },
    ]);
    expect((await refresh(at, tpp, String(lost.body.refresh_token))).body.error).toBe('invalid_grant');
  });
});
