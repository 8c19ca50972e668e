import { randomUUID } from 'node:crypto';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { auditedOf } from '@kontoport/testing/audited';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { openClients, ownEnv } from './running.ts';
import { readTopic } from './topic-reader.ts';

describe('kill -9 between commit and publish', () => {
  it('loses no posting and no end of a consent: the next process publishes them with the same event ids', async () => {
    const [peers, database, brokerPort] = [
      await startFakePeers(),
      await testDatabase('account-information'),
      await freePort(),
    ];
    const pool = openTestPool(database.url);
    const [grpcPort, opsPort] = [await freePort(), await freePort()];
    const env = {
      ...peers.env,
      ...ownEnv({ databaseUrl: database.url, brokers: [`127.0.0.1:${brokerPort}`] }),
      GRPC_PORT: String(grpcPort),
      OPS_PORT: String(opsPort),
      LOG_LEVEL: 'info',
    };
    const accountId = randomUUID();
    await pool.query(
      `INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved,
         supports_payments, supports_transfers)
       VALUES ($1, gen_random_uuid(), 0, 'Test', 'CHECKING', 'DKK', '66950001234567', 100000, 0, true, true)`,
      [accountId],
    );

    // There is no broker yet, so committed events stay in the outbox.
    const first = startServiceProcess({ service: 'account-information', env });
    await first.ready();
    const clients = openClients(`127.0.0.1:${grpcPort}`);
    const transactionIds = Array.from({ length: 20 }, () => randomUUID());
    await Promise.all(
      transactionIds.map(async (transactionId, i) => {
        if (i % 2 === 0) return clients.post({ transactionId, accountId });
        await clients.authorize({ transactionId, accountId });
        return clients.settle({ transactionId, accountId });
      }),
    );
    // The first user of a client of the sandbox revokes the automatic consent.
    const { clientId } = await peers.addTpp();
    const { consents } = await clients.listConsents(clientId);
    const { consentId, userId } = consents[0]!;
    await clients.revokeConsent(consentId, userId);
    const waiting = (
      await pool.query<{ key: string; headers: { ce_id: string } }>(
        `SELECT key, headers FROM outbox WHERE topic = '${topics.postings.name}' ORDER BY id`,
      )
    ).rows;
    expect(waiting).toHaveLength(transactionIds.length);
    expect(await first.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });

    const broker = await startEmbeddedKafka(Object.values(topics), { port: brokerPort });
    const second = startServiceProcess({ service: 'account-information', env });
    await second.ready();
    const topic = await readTopic(broker.brokers);
    await until(() => topic.events.length >= transactionIds.length, { what: 'the events' });
    expect(topic.events.map(({ value }) => value.eventId)).toEqual(
      waiting.map(({ headers }) => headers.ce_id),
    );
    expect(new Set(topic.events.map(({ value }) => value.ledgerPostingId))).toEqual(new Set(transactionIds));
    await until(() => topic.revoked.length > 0, { what: 'the event of the consent' });
    await clients.revokeConsent(consentId, userId);
    expect(new Set(topic.revoked.map(({ value }) => value.eventId)).size).toBe(1);
    expect(topic.revoked[0]!.value).toMatchObject({ clientId, consentId });
    const audited = await auditedOf({ pool, brokers: broker.brokers }, consentId);
    expect(audited.map(({ value }) => value)).toMatchObject([
      { action: 'CONSENT_REVOKED', actor: 'USER', clientId, userId, objectId: consentId },
    ]);
    await until(async () => (await pool.query('SELECT FROM outbox')).rowCount === 0, {
      what: 'an empty outbox',
    });

    // A caller without an answer may retry.
    const [transactionId] = transactionIds;
    expect((await clients.post({ transactionId: transactionId!, accountId })).transactionId).toBe(
      transactionId,
    );
    await clients.settle({ transactionId: transactionIds[1]!, accountId });
    const { rows } = await pool.query('SELECT balance, reserved FROM account WHERE id = $1', [accountId]);
    expect(rows).toEqual([{ balance: '98000', reserved: '0' }]);

    const logged = JSON.stringify([...first.log, ...second.log]);
    expect(logged).not.toContain('66950001234567');
    expect(logged).toContain('LedgerService/Post');

    expect(await second.kill()).toEqual({ code: 0, signal: null });
    clients.close();
    await topic.close();
    await broker.stop();
    await pool.end();
    await database.drop();
    await peers.close();
  });
});
