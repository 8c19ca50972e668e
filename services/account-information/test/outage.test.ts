import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { type Running, SIMULATED, startAccountInformation } from './running.ts';

/** A proxy in front of the database that the tests stop and restart. */
let way: Server;
let up = true;
const connections = new Set<Socket>();

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation({
    async databaseBehind(text) {
      const url = new URL(text);
      const { port, hostname } = url;
      way = createServer((near) => {
        if (!up) return near.destroy();
        const far = connect(Number(port), hostname);
        connections.add(near);
        near.pipe(far).pipe(near);
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const)
          one.on('error', () => {}).on('close', () => other.destroy());
        return near.on('close', () => connections.delete(near));
      }).listen(0, '127.0.0.1');
      await once(way, 'listening');
      url.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
      return url.href;
    },
  });
});
afterAll(async () => {
  await running.close();
  way.close();
});

describe('an unreachable database (§7)', () => {
  it('gives 503 with Retry-After in bounded time, and recovers without restart', async () => {
    const [tpp, unseen] = [await running.addTpp(), await running.addTpp()];
    const { id } = await tpp.account();
    up = false;
    for (const connection of connections) connection.destroy();

    const started = performance.now();
    for (const [reader, path] of [
      [tpp, '/accounts'],
      [tpp, `/v2/accounts/${id}/transactions`],
      [unseen, '/accounts'],
    ] as const) {
      const { status, headers, body } = await reader.get(path);
      expect(body).toEqual({
        errorCode: 'UNAVAILABLE',
        message: expect.any(String),
        requestId: expect.any(String),
      });
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const away = { code: 'UNAVAILABLE' };
    const transactionId = randomUUID();
    await expect(running.post({ transactionId, accountId: id })).rejects.toMatchObject(away);
    await expect(running.getAccount(tpp.clientId, id)).rejects.toMatchObject(away);
    await expect(running.listConsents(tpp.clientId)).rejects.toMatchObject(away);
    expect(performance.now() - started).toBeLessThan(20_000);

    up = true;
    const answer = await until(() => running.post({ transactionId, accountId: id }).catch(() => undefined), {
      what: 'the ledger to answer again',
    });
    expect((await tpp.page(id, { limit: 1 })).posted[0]!.id).toBe(answer.transactionId);
    expect(await unseen.accounts()).toHaveLength(SIMULATED.open);
  });

  it('gives 503 also to a request in progress at its shutdown', async () => {
    const tpp = await running.addTpp();
    const { id } = await tpp.account();
    const { pool } = running;
    const lock = await pool.connect();
    try {
      await lock.query('BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE');
      for (const path of ['/accounts', `/v2/accounts/${id}/transactions`]) {
        const answer = tpp.get(path);
        // PostgreSQL terminates every connection in this way when it stops or fails over.
        await until(
          async () =>
            (
              await pool.query(
                `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'account-information'
                   AND wait_event_type = 'Lock'`,
              )
            ).rowCount! > 0,
          { what: 'the request to wait for the database' },
        );
        expect(await answer).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
      }
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
    expect((await tpp.get('/accounts')).status).toBe(200);
  });
});
