import { randomUUID } from 'node:crypto';
import type { CreateConsentRequest, User } from '@kontoport/proto/accounts/v1';
import { consentScene, inDays, refused } from './consent-scene.ts';
import { type Running, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

describe('users and their accounts (§5.9, §Sandbox)', () => {
  it('offers each client the simulated users, under ids of its organization and with the same names', async () => {
    const [one, other] = [(await running.addTpp()).clientId, (await running.addTpp()).clientId];
    const [ours, theirs] = [(await running.listUsers(one)).users, (await running.listUsers(other)).users];
    const told = ({ name, loginHint }: User) => [name, loginHint];
    expect(ours.map(told)).toEqual([
      ['Freja Lindholm', 'private-dk'],
      ['Nordlys Møbler ApS', 'business-dk'],
      ['Elsa Bergström', 'private-se'],
      ['Fjällvik Handel AB', 'business-se'],
      ['Ingrid Solberg', 'private-no'],
      ['Eirik Solberg', 'joint-no'],
      ['Viggo Storm', 'overdrawn-dk'],
      ['Asta Nygaard', 'empty-dk'],
      ['Ejendomme Holm ApS', 'many-dk'],
      ['Nanna Holm', 'declining-dk'],
      ['Havnekiosken ApS', 'heavy-dk'],
    ]);
    expect(theirs.map(told)).toEqual(ours.map(told));
    expect(new Set([...ours, ...theirs].map(({ userId }) => userId)).size).toBe(2 * ours.length);
    expect((await running.listUsers(one)).users).toEqual(ours);
  });

  it("lists a user's checking accounts, and no savings account (§1)", async () => {
    const { accounts } = await consentScene(running);
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
      expect.objectContaining({ name: 'Sverigekonto', currency: 'SEK' }),
    ]);
    const { accounts: joint } = await consentScene(running, { loginHint: 'private-no' });
    expect(joint[0]).toMatchObject({ iban: '', ownerName: '', currency: 'NOK' });
  });

  it("finds no accounts of another client's user", async () => {
    const [mine, theirs] = [await consentScene(running), await consentScene(running)];
    await expect(running.listUserAccounts(mine.clientId, theirs.userId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
  });
});

describe('a consent is given once (§5.9)', () => {
  it('is returned, and listed among the consents of client and user', async () => {
    const { clientId, userId, accounts, ask } = await consentScene(running);
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

  it('answers a repetition with the current consent, in whatever order the parts come', async () => {
    const { userId, accounts, ask } = await consentScene(running);
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
    const [mine, theirs] = [await consentScene(running), await consentScene(running)];
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

  it('creates one of equal concurrent requests, and only the first of different ones under one id', async () => {
    const [mine, theirs] = [await consentScene(running), await consentScene(running)];
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
    const { ask, clientId } = await consentScene(running);
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
    const { ask } = await consentScene(running);
    expect((await running.createConsent(ask({ validUntil: inDays(180) }))).consent).toBeDefined();
  });

  it("opens no foreign account, no savings account, and none at all when one is not the user's", async () => {
    const { clientId, userId, accounts, ask } = await consentScene(running);
    const business = await consentScene(running, { loginHint: 'business-dk' });
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
    // A simulated user belongs to one organization.
    const strange = ask({ userId: business.userId, accountIds: [business.accounts[0]!.accountId] });
    await expect(running.createConsent(strange)).rejects.toMatchObject(refused('RESOURCE_UNKNOWN'));
    expect((await running.listConsentsOfUser(userId)).consents).toEqual(before);
  });
});
