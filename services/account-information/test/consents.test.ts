import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { CreateConsentRequest, type User } from '@kontoport/proto/accounts/v1';
import { startInProcess } from '@kontoport/service';
import { accountInformation } from '../src/service.ts';
import { type Running, startAccountInformation } from './running.ts';

const DAY_MS = 24 * 60 * 60_000;

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

const inDays = (days: number, moreMs = 0): Date => new Date(Date.now() + days * DAY_MS + moreMs);

/** A client, one of its users with the accounts that can be opened, and a consent that can be asked for. */
async function scene(loginHint = 'private-dk') {
  const clientId = randomUUID();
  const user = (await running.listUsers(clientId)).users.find((each) => each.loginHint === loginHint)!;
  const { accounts } = await running.listUserAccounts(clientId, user.userId);
  const ask = (change: Partial<CreateConsentRequest> = {}): CreateConsentRequest =>
    CreateConsentRequest.fromPartial({
      consentId: randomUUID(),
      clientId,
      userId: user.userId,
      accountIds: accounts.map(({ accountId }) => accountId),
      roles: ['PSP_AI'],
      validUntil: inDays(90),
      ...change,
    });
  return { clientId, userId: user.userId, accounts, ask };
}

/** Gives a consent days in the past, and ends it by its time. */
async function age(
  consentId: string,
  { granted, ended }: { granted: number; ended?: number },
): Promise<void> {
  await running.pool.query(
    `UPDATE consent SET granted_at = now() - $2 * interval '1 day',
       valid_until = coalesce(now() - $3 * interval '1 day', valid_until) WHERE id = $1`,
    [consentId, granted, ended],
  );
}

const refused = (code: string) => ({ code });

describe('users and their accounts (§5.9, §Sandbox)', () => {
  it('offers the simulated users to each client under ids of its own and the same words', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const [ours, theirs] = [(await running.listUsers(one)).users, (await running.listUsers(other)).users];
    const told = ({ name, loginHint }: User) => [name, loginHint];
    expect(ours.map(told)).toEqual([
      ['Freja Lindholm', 'private-dk'],
      ['Nordlys Møbler ApS', 'business-dk'],
      ['Elsa Bergström', 'private-se'],
      ['Fjällvik Handel AB', 'business-se'],
      ['Ingrid Solberg', 'private-no'],
    ]);
    expect(theirs.map(told)).toEqual(ours.map(told));
    expect(new Set([...ours, ...theirs].map(({ userId }) => userId)).size).toBe(10);
    expect((await running.listUsers(one)).users).toEqual(ours);
  });

  it("tells a user's checking accounts, and no savings account (§1)", async () => {
    const { accounts } = await scene();
    expect(accounts).toEqual([
      {
        accountId: expect.any(String) as string,
        name: 'Lønkonto',
        bban: expect.stringMatching(/^6695\d{10}$/) as string,
        iban: expect.stringMatching(/^DK\d{16}$/) as string,
        currency: 'DKK',
        ownerName: 'Freja Lindholm',
        supportsPayments: true,
      },
      expect.objectContaining({ name: 'Budgetkonto', supportsPayments: false }),
    ]);
    const { accounts: joint } = await scene('private-no');
    expect(joint).toMatchObject([{ iban: '', ownerName: '', currency: 'NOK' }]);
  });

  it("knows no accounts of another client's user", async () => {
    const [mine, theirs] = [await scene(), await scene()];
    await expect(running.listUserAccounts(mine.clientId, theirs.userId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
  });
});

describe('a consent is given once (§5.9)', () => {
  it('tells what was given, and stands among those of client and user', async () => {
    const { clientId, userId, accounts, ask } = await scene();
    const asked = ask({ roles: ['PSP_PI', 'PSP_AI'] });
    const { consent } = await running.createConsent(asked);
    expect(consent).toEqual({
      consentId: asked.consentId,
      clientId,
      userId,
      accountIds: accounts.map(({ accountId }) => accountId),
      roles: ['PSP_AI', 'PSP_PI'],
      grantedAt: expect.any(Date) as Date,
      validUntil: asked.validUntil,
      revokedAt: undefined,
    });
    expect((await running.getConsent(asked.consentId, clientId)).consent).toEqual(consent);
    expect((await running.listConsentsOfUser(userId)).consents[0]).toEqual(consent);
    expect((await running.listConsents(clientId)).consents.at(-1)).toEqual(consent);
  });

  it('answers a repetition with the consent as it is by then, in whatever order its parts stand', async () => {
    const { userId, accounts, ask } = await scene();
    const asked = ask({ roles: ['PSP_AI', 'PSP_PI'] });
    const first = await running.createConsent(asked);
    const again = {
      ...asked,
      consentId: asked.consentId.toUpperCase(),
      accountIds: [...asked.accountIds.toReversed(), accounts[0]!.accountId],
      roles: ['PSP_PI', 'PSP_AI', 'PSP_PI'],
    };
    expect(await running.createConsent(again)).toEqual(first);
    const { consent: revoked } = await running.revokeConsent(asked.consentId, userId);
    expect((await running.createConsent(asked)).consent).toEqual(revoked);
  });

  it('refuses another consent under the id, whoever has it', async () => {
    const [mine, theirs] = [await scene(), await scene()];
    const asked = mine.ask();
    await running.createConsent(asked);
    for (const other of [
      { ...asked, accountIds: asked.accountIds.slice(1) },
      { ...asked, roles: ['PSP_PI'] },
      { ...asked, validUntil: inDays(91) },
      theirs.ask({ consentId: asked.consentId }),
    ])
      await expect(running.createConsent(other)).rejects.toMatchObject(refused('DUPLICATE_ID'));
  });

  it('makes one of twins, and of different ones under one id the first alone', async () => {
    const [mine, theirs] = [await scene(), await scene()];
    const asked = mine.ask();
    const twins = await Promise.all(Array.from({ length: 8 }, () => running.createConsent(asked)));
    expect(new Set(twins.map(({ consent }) => JSON.stringify(consent))).size).toBe(1);

    const consentId = randomUUID();
    const rivals = await Promise.allSettled(
      [mine, theirs, mine, theirs].map(({ ask }) => running.createConsent({ ...ask({ consentId }) })),
    );
    expect(rivals.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const rival of rivals.filter((each) => each.status === 'rejected'))
      expect(rival.reason).toMatchObject(refused('DUPLICATE_ID'));
    const { rows } = await running.pool.query('SELECT client_id FROM consent WHERE id = $1', [consentId]);
    expect(rows).toHaveLength(1);
  });

  it.each<[string, (change: Partial<CreateConsentRequest>) => Partial<CreateConsentRequest>, string]>([
    ['no account', () => ({ accountIds: [] }), 'accountIds'],
    ['101 accounts', () => ({ accountIds: Array.from({ length: 101 }, () => randomUUID()) }), 'accountIds'],
    ['an account that is no id', () => ({ accountIds: ['x'] }), 'accountIds.0'],
    ['no role', () => ({ roles: [] }), 'roles'],
    ['a role of another kind', () => ({ roles: ['PSP_AS'] }), 'roles.0'],
    ['no end', () => ({ validUntil: undefined }), 'validUntil'],
    ['an end in the past', () => ({ validUntil: inDays(0, -1) }), 'validUntil'],
    ['an end after more than 180 days', () => ({ validUntil: inDays(180, 120_000) }), 'validUntil'],
    ['an id that is none', () => ({ consentId: 'x' }), 'consentId'],
  ])('refuses %s and names it', async (_name, change, path) => {
    const { ask, clientId } = await scene();
    const asked = { ...ask(), ...change({}) } as CreateConsentRequest;
    await expect(running.createConsent(asked)).rejects.toMatchObject({
      code: 'FORMAT_ERROR',
      details: [{ path }],
    });
    await expect(running.getConsent(ask().consentId, clientId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
  });

  it('lasts up to 180 days', async () => {
    const { ask } = await scene();
    expect((await running.createConsent(ask({ validUntil: inDays(180) }))).consent).toBeDefined();
  });

  it("opens nobody else's account, no savings account, and nothing at all when one is not the user's", async () => {
    const { clientId, userId, accounts, ask } = await scene();
    const business = await scene('business-dk');
    const { users } = await running.listUsers(clientId);
    const { accounts: foreign } = await running.listUserAccounts(
      clientId,
      users.find(({ loginHint }) => loginHint === 'business-dk')!.userId,
    );
    const { rows: savings } = await running.pool.query<{ id: string }>(
      `SELECT id FROM account WHERE user_id = $1 AND type = 'SAVINGS'`,
      [userId],
    );
    const before = (await running.listConsentsOfUser(userId)).consents;
    for (const accountId of [foreign[0]!.accountId, savings[0]!.id, randomUUID()]) {
      const asked = ask({ accountIds: [accounts[0]!.accountId, accountId] });
      await expect(running.createConsent(asked)).rejects.toMatchObject(refused('RESOURCE_UNKNOWN'));
      await expect(running.getConsent(asked.consentId, clientId)).rejects.toMatchObject(
        refused('RESOURCE_UNKNOWN'),
      );
    }
    // A simulated user is of one client.
    const strange = ask({ userId: business.userId, accountIds: [business.accounts[0]!.accountId] });
    await expect(running.createConsent(strange)).rejects.toMatchObject(refused('RESOURCE_UNKNOWN'));
    expect((await running.listConsentsOfUser(userId)).consents).toEqual(before);
  });
});

describe('consents are bounded and go by themselves (§5.9, §8)', () => {
  it('refuses the 51st live consent of a user, also of many at once, until one ends', async () => {
    const { clientId, userId, ask } = await scene();
    // The automatic one counts.
    const asked = Array.from({ length: 60 }, () => ask());
    const results = await Promise.allSettled(asked.map((each) => running.createConsent(each)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
    for (const result of results.filter((each) => each.status === 'rejected'))
      expect(result.reason).toMatchObject({ ...refused('STATUS_INVALID'), status: 409 });
    const made = asked[results.findIndex(({ status }) => status === 'fulfilled')]!;
    expect((await running.createConsent(made)).consent?.consentId).toBe(made.consentId);
    const other = (await running.listUsers(clientId)).users[1]!;
    const { accounts } = await running.listUserAccounts(clientId, other.userId);
    await running.createConsent(
      ask({ userId: other.userId, accountIds: accounts.map(({ accountId }) => accountId) }),
    );

    await running.revokeConsent(made.consentId, userId);
    await running.createConsent(ask());
    await expect(running.createConsent(ask())).rejects.toMatchObject(refused('STATUS_INVALID'));
  });

  it('keeps the 200 consents of a user for a client that ended last', async () => {
    const { clientId, userId, ask } = await scene();
    const oldest = ask();
    await running.createConsent(oldest);
    await age(oldest.consentId, { granted: 100, ended: 99 });
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

  it('tells a user the newest 200, ended ones for 180 days', async () => {
    const { userId, ask } = await scene();
    const [kept, gone, revoked] = [ask(), ask(), ask()];
    for (const each of [kept, gone, revoked]) await running.createConsent(each);
    await running.revokeConsent(revoked.consentId, userId);
    await age(kept.consentId, { granted: 300, ended: 179.9 });
    await age(gone.consentId, { granted: 300, ended: 180.1 });
    const ids = (await running.listConsentsOfUser(userId)).consents.map(({ consentId }) => consentId);
    expect(ids[0]).toBe(revoked.consentId);
    expect(ids.at(-1)).toBe(kept.consentId);
    expect(ids).toHaveLength(3);
  });

  it('deletes those that ended more than 180 days ago, and no others', async () => {
    const { clientId, userId, ask } = await scene();
    const [late, early, live, revokedEarly] = [ask(), ask(), ask(), ask()];
    for (const each of [late, early, live, revokedEarly]) await running.createConsent(each);
    await age(late.consentId, { granted: 300, ended: 179.9 });
    await age(early.consentId, { granted: 300, ended: 180.1 });
    await age(live.consentId, { granted: 300 });
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

describe('a consent is taken back by its user (§5.9)', () => {
  it('ends at once, and keeps its first moment however often it is taken back', async () => {
    const { clientId, userId, ask } = await scene();
    const asked = ask();
    await running.createConsent(asked);
    const { consent: first } = await running.revokeConsent(asked.consentId, userId);
    expect(first!.revokedAt!.getTime()).toBeGreaterThanOrEqual(first!.grantedAt!.getTime());
    expect((await running.revokeConsent(asked.consentId, userId)).consent).toEqual(first);
    expect((await running.getConsent(asked.consentId, clientId)).consent).toEqual(first);
    const { consents } = await running.listConsents(clientId);
    expect(consents.map(({ consentId }) => consentId)).not.toContain(asked.consentId);
  });

  it("is not another user's to take back, nor another client's to read", async () => {
    const { clientId, ask } = await scene();
    const asked = ask();
    await running.createConsent(asked);
    const unknown = refused('RESOURCE_UNKNOWN');
    await expect(running.revokeConsent(asked.consentId, randomUUID())).rejects.toMatchObject(unknown);
    await expect(running.revokeConsent(randomUUID(), asked.userId)).rejects.toMatchObject(unknown);
    await expect(running.getConsent(asked.consentId, randomUUID())).rejects.toMatchObject(unknown);
    expect((await running.getConsent(asked.consentId, clientId)).consent!.revokedAt).toBeUndefined();
  });

  it('leaves one whose time is over as it is', async () => {
    const { userId, ask } = await scene();
    const asked = ask();
    await running.createConsent(asked);
    await age(asked.consentId, { granted: 2, ended: 1 });
    expect((await running.revokeConsent(asked.consentId, userId)).consent!.revokedAt).toBeUndefined();
  });

  it('does not bring an automatic one of the sandbox back (§Sandbox)', async () => {
    const tpp = await running.addTpp();
    const [account] = await tpp.accounts();
    const { consents } = await running.listConsents(tpp.clientId);
    const { consentId, userId, roles } = consents.find(({ accountIds }) => accountIds.includes(account!.id))!;
    expect(roles).toEqual(['PSP_AI', 'PSP_PI']);
    await running.revokeConsent(consentId, userId);
    const replica = await startInProcess(accountInformation, running.env);
    try {
      const again = await tpp.getAt(replica.addresses.base_url!, '/accounts');
      const ids = (again.body.accounts as { id: string }[]).map(({ id }) => id);
      expect(ids).toHaveLength(4);
      expect(ids).not.toContain(account!.id);
    } finally {
      await replica.close();
    }
    expect((await tpp.accounts()).map(({ id }) => id)).not.toContain(account!.id);
  });
});
