import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { startInProcess } from '@kontoport/service';
import { auditedOf } from '@kontoport/testing/audited';
import { accountInformation } from '../src/service.ts';
import { age, consentScene, inDays, refused } from './consent-scene.ts';
import { type Running, startAccountInformation } from './running.ts';
import { readTopic, type TopicReader } from './topic-reader.ts';

let running: Running;
let topic: TopicReader;
beforeAll(async () => {
  running = await startAccountInformation();
  topic = await readTopic(running.brokers);
});
afterAll(async () => {
  await topic.close();
  await running.close();
});

describe('consents are limited and deleted (§5.9, §8)', () => {
  it('revokes the oldest that the user gave for the 51st, also concurrently', async () => {
    const { clientId, userId, accounts, ask } = await consentScene(running);
    const [automatic] = (await running.listConsentsOfUser(userId)).consents;
    // The oldest ones: the automatic one, and another user's.
    await age(running, automatic!.consentId, { granted: 20 });
    const other = (await running.listUsers(clientId)).users[1]!;
    const { accounts: others } = await running.listUserAccounts(clientId, other.userId);
    const elsewhere = ask({
      userId: other.userId,
      accountIds: others.map(({ accountId }) => accountId),
    });
    await running.createConsent(elsewhere);
    await age(running, elsewhere.consentId, { granted: 20 });
    await running.pool.query(
      `WITH given AS (
         INSERT INTO consent (id, client_id, user_id, roles, granted_at, valid_until)
         SELECT gen_random_uuid(), $1, $2, '{PSP_AI}', now() - n * interval '1 hour', now() + interval '1 day'
         FROM generate_series(1, 47) AS n RETURNING id)
       INSERT INTO consent_account (consent_id, account_id) SELECT id, $3 FROM given`,
      [clientId, userId, accounts[0]!.accountId],
    );
    const live = async () =>
      (await running.listConsentsOfUser(userId)).consents.filter(({ revokedAt }) => !revokedAt);
    const before = await live();
    expect(before).toHaveLength(48);

    const asked = Array.from({ length: 5 }, () => ask());
    await Promise.all(asked.map((each) => running.createConsent(each)));
    const after = await live();
    expect(after).toHaveLength(50);
    const ids = after.map(({ consentId }) => consentId);
    expect(ids).toEqual(expect.arrayContaining(asked.map(({ consentId }) => consentId)));
    expect(ids).toContain(automatic!.consentId);
    const gone = before.filter(({ consentId }) => !ids.includes(consentId));
    // The list is newest first, and the automatic one is last.
    expect(gone).toEqual(before.slice(-4, -1));
    expect((await running.getConsent(elsewhere.consentId, clientId)).consent!.revokedAt).toBeUndefined();
    // The consent that `revokedOf` creates revokes one more.
    const told = await revokedOf(clientId);
    expect(told.map(({ value }) => value.consentId).toSorted()).toEqual(
      before
        .slice(-5, -1)
        .map(({ consentId }) => consentId)
        .toSorted(),
    );
    expect(told[0]!.value.accountIds).toEqual([accounts[0]!.accountId]);
    const audited = await auditedOf(running, ...told.map(({ value }) => value.consentId));
    expect(audited.map(({ value }) => value.objectId).toSorted()).toEqual(
      told.map(({ value }) => value.consentId).toSorted(),
    );
    for (const { value } of audited)
      expect(value).toMatchObject({ action: 'CONSENT_REVOKED', actor: 'SERVICE', clientId, userId });
  });

  it('revokes nothing for a repetition, nor for a refused consent', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const made = ask();
    await running.createConsent(made);
    await running.pool.query(
      `INSERT INTO consent (id, client_id, user_id, roles, granted_at, valid_until)
       SELECT gen_random_uuid(), $1, $2, '{PSP_AI}', now(), now() + interval '1 day' FROM generate_series(1, 48)`,
      [clientId, userId],
    );
    await running.createConsent(made);
    const strange = ask({ accountIds: [made.accountIds[0]!, randomUUID()] });
    await expect(running.createConsent(strange)).rejects.toMatchObject(refused('RESOURCE_UNKNOWN'));
    const { consents } = await running.listConsentsOfUser(userId);
    expect(consents.filter(({ revokedAt }) => !revokedAt)).toHaveLength(50);
  });

  it('keeps the 200 consents of a user for a client that ended last', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const oldest = ask();
    await running.createConsent(oldest);
    await age(running, oldest.consentId, { granted: 100, ended: 99 });
    await running.pool.query(
      `INSERT INTO consent (id, client_id, user_id, roles, granted_at, valid_until)
       SELECT gen_random_uuid(), $1, $2, '{PSP_AI}', now() - interval '50 days', now() - interval '40 days'
       FROM generate_series(1, 199)`,
      [clientId, userId],
    );
    await running.createConsent(ask());
    expect((await running.getConsent(oldest.consentId, clientId)).consent).toBeDefined();
    const { consent } = await running.createConsent(ask());
    await running.revokeConsent(consent!.consentId, userId);
    await running.createConsent(ask());
    await expect(running.getConsent(oldest.consentId, clientId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
  });

  it('lists ended ones to the user for 180 days, the newest first', async () => {
    const { userId, ask } = await consentScene(running);
    const [kept, gone, revoked] = [ask(), ask(), ask()];
    for (const each of [kept, gone, revoked]) await running.createConsent(each);
    await running.revokeConsent(revoked.consentId, userId);
    await age(running, kept.consentId, { granted: 300, ended: 179.9 });
    await age(running, gone.consentId, { granted: 300, ended: 180.1 });
    const ids = (await running.listConsentsOfUser(userId)).consents.map(({ consentId }) => consentId);
    expect(ids).toHaveLength(3);
    // The first is the automatic one, which is live.
    expect(ids.slice(1)).toEqual([revoked.consentId, kept.consentId]);
  });

  it('lists live ones to the user before all ended ones', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const [older, newer] = [ask(), ask()];
    for (const each of [older, newer]) await running.createConsent(each);
    await age(running, older.consentId, { granted: 80 });
    await age(running, newer.consentId, { granted: 70 });
    await running.pool.query(
      `INSERT INTO consent (id, client_id, user_id, roles, granted_at, valid_until, revoked_at)
       SELECT gen_random_uuid(), $1, $2, '{PSP_AI}', now() - interval '1 hour', now() + interval '1 day', now()
       FROM generate_series(1, 200)`,
      [clientId, userId],
    );
    const { consents } = await running.listConsentsOfUser(userId);
    expect(consents).toHaveLength(200);
    const live = consents.filter(({ revokedAt }) => revokedAt === undefined);
    expect(consents.slice(0, live.length)).toEqual(live);
    const ids = live.map(({ consentId }) => consentId);
    expect(ids.filter((id) => [older, newer].some(({ consentId }) => consentId === id))).toEqual([
      newer.consentId,
      older.consentId,
    ]);
  });

  it('deletes those that ended more than 180 days ago, and no others', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const [late, early, live, revokedEarly] = [ask(), ask(), ask(), ask()];
    for (const each of [late, early, live, revokedEarly]) await running.createConsent(each);
    await age(running, late.consentId, { granted: 300, ended: 179.9 });
    await age(running, early.consentId, { granted: 300, ended: 180.1 });
    await age(running, live.consentId, { granted: 300 });
    await running.pool.query(
      `UPDATE consent SET granted_at = now() - interval '300 days', revoked_at = now() - interval '181 days' WHERE id = $1`,
      [revokedEarly.consentId],
    );
    const replica = await startInProcess(accountInformation, running.env);
    const left = async () => {
      const { rows } = await running.pool.query<{ id: string }>(
        `SELECT id FROM consent WHERE id = ANY ($1)`,
        [[late, early, live, revokedEarly].map(({ consentId }) => consentId)],
      );
      return rows.map(({ id }) => id).toSorted();
    };
    try {
      await until(async () => (await left()).length === 2, { what: 'two consents to go' });
    } finally {
      await replica.close();
    }
    expect(await left()).toEqual([late.consentId, live.consentId].toSorted());
    expect((await running.getConsent(late.consentId, clientId)).consent?.userId).toBe(userId);
  });
});

const fences = new Set<string>();

/** Returns the revocation events of a client's consents, up to that of a new one. */
async function revokedOf(clientId: string) {
  const user = (await running.listUsers(clientId)).users[0]!;
  const { accounts } = await running.listUserAccounts(clientId, user.userId);
  const consentId = randomUUID();
  fences.add(consentId);
  await running.createConsent({
    consentId,
    clientId,
    userId: user.userId,
    accountIds: accounts.map(({ accountId }) => accountId),
    roles: ['PSP_AI'],
    validUntil: inDays(1),
  });
  await running.revokeConsent(consentId, user.userId);
  await until(() => topic.revoked.some(({ value }) => value.consentId === consentId), {
    what: 'the event of the last consent',
  });
  const events = topic.revoked.filter(
    ({ value }) => value.clientId === clientId && !fences.has(value.consentId),
  );
  // Delivery is at least once.
  return [...new Map(events.map((event) => [event.value.eventId, event])).values()];
}

describe('Consent.RevokedV1 (§5.9, §6)', () => {
  it('is emitted once, keyed by the client, also for repeated and concurrent revocations', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const asked = ask();
    const { consent } = await running.createConsent(asked);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => running.revokeConsent(asked.consentId, userId)),
    );
    const [first] = answers;
    for (const answer of answers) expect(answer).toEqual(first);
    await running.revokeConsent(asked.consentId.toUpperCase(), userId.toUpperCase());

    const events = await revokedOf(clientId);
    const time = first!.consent!.revokedAt!.toISOString();
    expect(events.map(({ value }) => value)).toEqual([
      {
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        eventTime: time,
        audience: [clientId],
        clientId,
        consentId: asked.consentId,
        accountIds: consent!.accountIds,
        revokedAt: time,
      },
    ]);
    const { record, value } = events[0]!;
    expect(record.key?.toString()).toBe(clientId);
    expect(record.headers).toMatchObject({
      ce_id: value.eventId,
      ce_type: 'Consent.RevokedV1',
      ce_time: time,
    });
  });

  it('is not emitted for an expired consent, nor for a refused attempt', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const [over, foreign] = [ask(), ask()];
    for (const each of [over, foreign]) await running.createConsent(each);
    await age(running, over.consentId, { granted: 2, ended: 1 });
    await running.revokeConsent(over.consentId, userId);
    await expect(running.revokeConsent(foreign.consentId, randomUUID())).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
    expect(await revokedOf(clientId)).toEqual([]);
  });

  it('is written with the end of the consent: without the event the consent lives', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const asked = ask();
    await running.createConsent(asked);
    await running.pool.query(
      `ALTER TABLE outbox ADD CONSTRAINT nothing_of_this_client CHECK (key <> '${clientId}')`,
    );
    try {
      await expect(running.revokeConsent(asked.consentId, userId)).rejects.toMatchObject(
        refused('UNAVAILABLE'),
      );
    } finally {
      await running.pool.query('ALTER TABLE outbox DROP CONSTRAINT nothing_of_this_client');
    }
    expect((await running.getConsent(asked.consentId, clientId)).consent!.revokedAt).toBeUndefined();
    expect(await revokedOf(clientId)).toEqual([]);
    await running.revokeConsent(asked.consentId, userId);
    expect(await revokedOf(clientId)).toHaveLength(1);
  });
});

describe('a consent is revoked by its user (§5.9)', () => {
  it('cannot be revoked by another user, nor read by another client', async () => {
    const { clientId, ask } = await consentScene(running);
    const asked = ask();
    await running.createConsent(asked);
    const unknown = refused('RESOURCE_UNKNOWN');
    await expect(running.revokeConsent(asked.consentId, randomUUID())).rejects.toMatchObject(unknown);
    await expect(running.revokeConsent(randomUUID(), asked.userId)).rejects.toMatchObject(unknown);
    const { clientId: neighbour } = await running.addTpp();
    await expect(running.getConsent(asked.consentId, neighbour)).rejects.toMatchObject(unknown);
    expect((await running.getConsent(asked.consentId, clientId)).consent!.revokedAt).toBeUndefined();
  });

  it('is not followed by a new automatic one of the sandbox (§Sandbox)', async () => {
    const tpp = await running.addTpp();
    const accounts = await tpp.accounts();
    const [account] = accounts;
    const { consents } = await running.listConsents(tpp.clientId);
    const { consentId, userId, roles, accountIds } = consents.find((consent) =>
      consent.accountIds.includes(account!.id),
    )!;
    expect(roles).toEqual(['PSP_AI', 'PSP_PI']);
    await running.revokeConsent(consentId, userId);
    const replica = await startInProcess(accountInformation, running.env);
    try {
      const again = await tpp.getAt(replica.addresses.base_url!, '/accounts');
      const ids = (again.body.accounts as { id: string }[]).map(({ id }) => id);
      const others = accounts.map(({ id }) => id).filter((id) => !accountIds.includes(id));
      expect(new Set(ids)).toEqual(new Set(others));
    } finally {
      await replica.close();
    }
    expect((await tpp.accounts()).map(({ id }) => id)).not.toContain(account!.id);
  });
});
