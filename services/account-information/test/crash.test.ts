import { randomUUID } from 'node:crypto';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { auditedOf } from '@kontoport/testing/audited';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { attachment, PDF } from './attachment.ts';
import { bankAccount } from './bank-account.ts';
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

    // There is no broker yet: what is committed stays in the outbox.
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
    // The first user of a client of the sandbox takes back what was given automatically.
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

    // The caller that saw no answer may ask again.
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

describe('kill -9 while attachments are taken (§2.4)', () => {
  it('keeps each as a whole or not at all: what a transaction tells is there, and the other way round', async () => {
    const [peers, database] = [await startFakePeers(), await testDatabase('account-information')];
    const [grpcPort, opsPort] = [await freePort(), await freePort()];
    const pool = openTestPool(database.url);
    const env = {
      ...peers.env,
      ...ownEnv({ databaseUrl: database.url, brokers: [`127.0.0.1:${await freePort()}`] }),
      GRPC_PORT: String(grpcPort),
      OPS_PORT: String(opsPort),
    };
    const first = startServiceProcess({ service: 'account-information', env });
    await first.ready();
    const clients = openClients(`127.0.0.1:${grpcPort}`);
    const account = bankAccount();
    const { accountId } = account;
    await clients.feed.putAccount(account);
    const heads = Array.from({ length: 15 }, (_, i) => ({
      accountId,
      reference: `T${i % 3}`,
      attachmentId: randomUUID(),
    }));
    for (const reference of ['T0', 'T1', 'T2']) await clients.post({ accountId, reference });
    const content = Buffer.concat([PDF, Buffer.alloc(2_000_000, 'x')]);
    const uploads = (some: typeof heads) =>
      Promise.allSettled(some.map((head) => clients.feed.upload(attachment(head, content))));
    const kept = async () =>
      (await pool.query<{ id: string }>('SELECT id FROM attachment')).rows.map(({ id }) => id);
    const told = async () =>
      (
        await pool.query<{ id: string }>(
          "SELECT json_array_elements_text(details -> 'attachmentIds') AS id FROM transaction",
        )
      ).rows.map(({ id }) => id);

    const running = uploads(heads.slice(0, 7));
    await until(async () => (await kept()).length > 0, { what: 'the first attachment' });
    expect(await first.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await running;
    await until(
      async () =>
        (await pool.query("SELECT FROM pg_stat_activity WHERE application_name = 'account-information'"))
          .rowCount === 0,
      { what: 'the end of its connections' },
    );
    expect((await told()).toSorted()).toEqual((await kept()).toSorted());

    const second = startServiceProcess({ service: 'account-information', env });
    await second.ready();
    for (const head of heads) await clients.feed.upload(attachment(head, content));
    const all = heads.map(({ attachmentId }) => attachmentId).toSorted();
    expect((await kept()).toSorted()).toEqual(all);
    expect((await told()).toSorted()).toEqual(all);

    await second.kill();
    clients.close();
    await pool.end();
    await database.drop();
    await peers.close();
  });
});
