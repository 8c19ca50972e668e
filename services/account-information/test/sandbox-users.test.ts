import { randomUUID } from 'node:crypto';
import { USER_TRIGGERS } from '@kontoport/sandbox-triggers';
import { SANDBOX_IDS } from '../src/account-data/sandbox/sandbox-ids.ts';
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

  it('heavy-dk has an account of 12,000 transactions, whose balances follow from each other', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-4000';
    const tpp = await driver.running.addTpp({ organizationIdentifier });
    const accountId = SANDBOX_IDS.account(organizationIdentifier, 'heavy-main');
    const all = await tpp.posted(accountId, { limit: 500 });
    expect(all).toHaveLength(12_000);
    const ofIndex = (index: number) =>
      SANDBOX_IDS.transaction(organizationIdentifier, 'heavy-main', `sale-${index + 1}`);
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => ofIndex(index)));
    const cents = ({ amount }: { amount: number }) => Math.round(amount * 100);
    const balanceAt = (index: number) => cents(all[index]!.accountBalanceAfterTransaction!);
    const broken = all
      .slice(0, -1)
      .filter((each, index) => balanceAt(index) !== balanceAt(index + 1) + cents(each.billingAmount));
    expect(broken).toEqual([]);
    const listed = (await tpp.accounts()).find(({ id }) => id === accountId)!;
    expect(cents({ amount: listed.balanceAmount })).toBe(balanceAt(0));
    // 25,000.00 before the oldest.
    expect(balanceAt(all.length - 1) - cents(all.at(-1)!.billingAmount)).toBe(2_500_000);
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
