import { randomUUID } from 'node:crypto';
import { USER_TRIGGERS } from '@kontoport/sandbox-triggers';
import { consentScene, refused } from './consent-scene.ts';
import { type Driver, startDriver } from './sandbox-driver.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

/** A user of the driver's client, as a consent would open the accounts. */
const sceneOf = (loginHint: string) =>
  consentScene(driver.running, { loginHint, clientId: driver.tpp.clientId });

describe('simulated users for rare cases (§Sandbox)', () => {
  it('are the users of the triggers', async () => {
    const { users } = await driver.running.listUsers(driver.tpp.clientId);
    const hints = users.map(({ loginHint }) => loginHint);
    for (const { values } of USER_TRIGGERS) expect(hints).toContain(values.login_hint);
  });

  it('overdrawn-dk has an account below zero, without credit', async () => {
    const { accounts } = await sceneOf('overdrawn-dk');
    const listed = await driver.tpp.accounts();
    const overdrawn = listed.find(({ id }) => id === accounts[0]!.accountId)!;
    expect(overdrawn).toMatchObject({ balanceAmount: -3_214.5, balanceAvailableAmount: -3_214.5 });
    expect(overdrawn).not.toHaveProperty('creditLimitAmount');
  });

  it('empty-dk has accounts without a transaction', async () => {
    const { accounts } = await sceneOf('empty-dk');
    expect(accounts.map(({ currency }) => currency)).toEqual(['DKK', 'SEK']);
    for (const { accountId } of accounts)
      expect(await driver.tpp.page(accountId)).toMatchObject({ pending: [], posted: [] });
  });

  it('many-dk has twelve accounts, which one consent opens', async () => {
    const { accounts, ask } = await sceneOf('many-dk');
    expect(accounts).toHaveLength(12);
    const { consent } = await driver.running.createConsent(ask());
    expect(consent!.accountIds).toEqual(accounts.map(({ accountId }) => accountId));
  });

  it('private-no and joint-no own the same accounts, and either opens them to a client', async () => {
    const [owner, other] = [await sceneOf('private-no'), await sceneOf('joint-no')];
    expect(other.userId).not.toBe(owner.userId);
    expect(other.accounts).toEqual(owner.accounts);
    const { consent } = await driver.running.createConsent(other.ask());
    expect(consent!.accountIds).toEqual(owner.accounts.map(({ accountId }) => accountId));
    const foreign = (await sceneOf('private-dk')).accounts[0]!.accountId;
    await expect(driver.running.createConsent(other.ask({ accountIds: [foreign] }))).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
  });

  it('declining-dk opens no account before a page asks', async () => {
    const { clientId, userId, accounts, ask } = await sceneOf('declining-dk');
    const { users } = await driver.running.listUsers(clientId);
    expect(users.filter((user) => user.refusesConsent).map((user) => user.userId)).toEqual([userId]);
    const { accountId } = accounts[0]!;
    const visible = async () => (await driver.tpp.accounts()).some(({ id }) => id === accountId);
    expect(await visible()).toBe(false);
    const body = { transactionId: randomUUID(), amount: 1, currency: 'DKK' };
    expect((await driver.send(`/sandbox/accounts/${accountId}/postings`, body)).status).toBe(201);
    await driver.running.createConsent(ask());
    expect(await visible()).toBe(true);
  });
});
