import { setTimeout as pause } from 'node:timers/promises';
import { type ClientDirectory, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { ask } from '@kontoport/testing/answer';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import type { RegisteredTpp } from './running.ts';
import { useRegistrations } from './suite.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const suite = useRegistrations({ replicas: 2 });

let wire: TcpProxy;
let directory: ClientDirectory;

beforeEach(async () => {
  wire = await openTcpProxy({ port: suite.b.grpcPort });
  directory = openClientDirectory({ address: `127.0.0.1:${wire.port}`, service: 'test', logger });
  await until(() => directory.readiness() === undefined, { what: 'the directory is ready' });
});

afterEach(async () => {
  await directory.close();
  await wire.close();
});

/** Whether the directory still accepts the client. */
function lives({ clientId }: RegisteredTpp): boolean {
  try {
    return directory.find(clientId)?.deleted === false;
  } catch {
    return false;
  }
}

/** Records, every millisecond, the last time at which the directory accepted the client. */
function observe(tpp: RegisteredTpp): { lastAlive: () => number; stop: () => void } {
  let lastAlive = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    if (lives(tpp)) lastAlive = performance.now();
  }, 1);
  return { lastAlive: () => lastAlive, stop: () => clearInterval(timer) };
}

async function remove(
  tpp: RegisteredTpp,
): Promise<{ status: number; milliseconds: number; answeredAt: number }> {
  const started = performance.now();
  const { status } = await ask('DELETE', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp);
  const answeredAt = performance.now();
  return { status, answeredAt, milliseconds: answeredAt - started };
}

const watchersOf = async (service: string): Promise<number> =>
  Number(
    (await suite.sql.query<{ count: string }>('SELECT count(*) FROM watcher WHERE service = $1', [service]))
      .rows[0]!.count,
  );

describe('every service knows every client (§4.2)', () => {
  it('when POST /tpp answers, also over another replica', async () => {
    const tpp = await suite.registerTpp();
    expect(directory.find(tpp.clientId)).toMatchObject({
      certificates: [{ thumbprint: tpp.applicant.thumbprint, roles: ['PSP_PI', 'PSP_AI'] }],
      deleted: false,
    });
  });

  it('from its start, deleted clients included', async () => {
    const [tpp, gone] = [await suite.registerTpp(), await suite.registerTpp()];
    await remove(gone);
    const late = openClientDirectory({ address: `127.0.0.1:${suite.b.grpcPort}`, service: 'late', logger });
    await until(() => late.readiness() === undefined, { what: 'the late directory is ready' });
    expect(late.find(tpp.clientId)?.deleted).toBe(false);
    expect(late.find(gone.clientId)).toMatchObject({
      deleted: true,
      redirectDigests: Buffer.alloc(0),
      redirectUriDigests: Buffer.alloc(0),
      certificates: [{ thumbprint: gone.applicant.thumbprint }],
    });
    await late.close();
  });

  it('after more changes at once than one message holds', async () => {
    const { rows } = await suite.sql.query<{ id: string }>(
      `WITH made AS (
         INSERT INTO client (id, name, display_name, roles, redirect_uris, organization_identifier, secret_hash,
                             revision, created_at, certificates)
         SELECT gen_random_uuid(), 'n', 'd', '{PSP_AI}', '{https://a.example/}', 'o', sha256('x'),
                revision + n, now(), ''
         FROM client_revision, generate_series(1, 1_200) AS n RETURNING id, revision)
       , moved AS (UPDATE client_revision SET revision = (SELECT max(revision) FROM made))
       SELECT id FROM made ORDER BY revision`,
    );
    await until(() => directory.find(rows.at(-1)!.id) !== undefined, { what: 'all have arrived' });
    expect(rows.filter(({ id }) => directory.find(id)?.deleted !== false)).toEqual([]);
  });
});

describe('when DELETE /tpp/{clientId} answers, no replica of any service decides for the client (§4.2)', () => {
  it('waits for a slow watcher, and no longer than it needs', async () => {
    const tpp = await suite.registerTpp();
    wire.stall();
    const removal = remove(tpp);
    expect(await Promise.race([removal, pause(1_500, 'waits')])).toBe('waits');
    expect(lives(tpp)).toBe(true);
    wire.resume();
    expect(await removal).toMatchObject({ status: 204 });
    expect((await removal).milliseconds).toBeLessThan(4_000);
    expect(directory.find(tpp.clientId)?.deleted).toBe(true);
  });

  it('waits for the end of the lease of a disconnected watcher, which refuses from then on', async () => {
    const tpp = await suite.registerTpp();
    const observer = observe(tpp);
    wire.stall();
    const { status, milliseconds, answeredAt } = await remove(tpp);
    expect(() => directory.find(tpp.clientId)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    expect(status).toBe(204);
    expect(milliseconds).toBeGreaterThan(3_000);
    expect(milliseconds).toBeLessThan(7_000);
    expect(observer.lastAlive()).toBeGreaterThan(answeredAt - milliseconds);
    expect(observer.lastAlive()).toBeLessThan(answeredAt);

    // Messages delayed in the connection arrive late, and make no deleted client live.
    wire.resume();
    await until(() => directory.readiness() === undefined, { what: 'the directory is back' });
    observer.stop();
    expect(observer.lastAlive()).toBeLessThan(answeredAt);
    expect(directory.find(tpp.clientId)?.deleted).toBe(true);
  });

  it('does not wait for a watcher that has left, which decides nothing more', async () => {
    const tpp = await suite.registerTpp();
    expect(await watchersOf('test')).toBeGreaterThan(0);
    await suite.sql.query("DELETE FROM watcher WHERE service = 'test' AND seen_at < now() - interval '2 s'");
    await directory.close();
    await until(async () => (await watchersOf('test')) === 0, { what: 'its row is gone' });
    expect(() => directory.find(tpp.clientId)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    expect((await remove(tpp)).milliseconds).toBeLessThan(4_000);
  });
});

describe('registration restarts', () => {
  it('and the directories of the services reconnect', async () => {
    const before = await suite.registerTpp();
    const { grpcPort } = suite.b;
    await suite.b.close();
    const after = await suite.registerTpp();
    suite.b = await suite.start({ grpcPort });
    await until(() => directory.find(after.clientId) !== undefined, { what: 'the new client has arrived' });
    expect(directory.find(before.clientId)?.deleted).toBe(false);
    await remove(before);
    expect(directory.find(before.clientId)?.deleted).toBe(true);
  });
});
