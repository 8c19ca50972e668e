import { randomUUID } from 'node:crypto';
import { type Running, SIMULATED, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

describe('GET /accounts (§2.2, §4.3)', () => {
  it('lists checking accounts in DKK and in SEK of each simulated user', async () => {
    const accounts = await (await running.addTpp()).accounts();
    expect(
      accounts.slice(0, 12).map(({ ownerName, currency, usage }) => [ownerName, currency, usage]),
    ).toEqual([
      ['Freja Lindholm', 'DKK', 'PRIVATE'],
      ['Freja Lindholm', 'DKK', 'PRIVATE'],
      ['Freja Lindholm', 'SEK', 'PRIVATE'],
      ['Nordlys Møbler ApS', 'DKK', 'ORGANISATION'],
      ['Nordlys Møbler ApS', 'SEK', 'ORGANISATION'],
      ['Elsa Bergström', 'SEK', 'PRIVATE'],
      ['Elsa Bergström', 'DKK', 'PRIVATE'],
      ['Fjällvik Handel AB', 'SEK', 'ORGANISATION'],
      ['Fjällvik Handel AB', 'DKK', 'ORGANISATION'],
      [undefined, 'NOK', undefined],
      [undefined, 'DKK', undefined],
      [undefined, 'SEK', undefined],
    ]);
    expect(accounts.every(({ type }) => type === 'CHECKING')).toBe(true);
  });

  it('returns the required fields always and the optional ones where they are known', async () => {
    const accounts = await (await running.addTpp()).accounts();
    const required =
      'id name currency bban balanceAmount balanceReservedAmount balanceAvailableAmount type supportsPayments supportsTransfers'.split(
        ' ',
      );
    const optional = ['iban', 'swift', 'creditLimitAmount', 'ownerName', 'usage'];
    for (const account of accounts) {
      expect(Object.keys(account)).toEqual(expect.arrayContaining(required));
      expect([...required, ...optional]).toEqual(expect.arrayContaining(Object.keys(account)));
      expect(Object.values(account)).not.toContain(null);
    }
    for (const field of optional) {
      expect(accounts.some((account) => field in account)).toBe(true);
      expect(accounts.some((account) => !(field in account))).toBe(true);
    }
  });

  it('writes amounts as numbers with exactly the decimals of the currency', async () => {
    const tpp = await running.addTpp();
    const account = await tpp.account();
    await running.pool.query(
      'UPDATE account SET balance = 12550, reserved = 5, credit_limit = 0 WHERE id = $1',
      [account.id],
    );
    const { text } = await tpp.get('/accounts');
    expect(text).toContain(
      '"balanceAmount":125.50,"balanceReservedAmount":0.05,"balanceAvailableAmount":125.45,"creditLimitAmount":0.00,',
    );
  });

  it('answers under the prefix /aisp-pisp as well', async () => {
    const tpp = await running.addTpp();
    expect((await tpp.get('/aisp-pisp/accounts')).body).toEqual((await tpp.get('/accounts')).body);
  });
});

describe('ownership (§4, §4.3, §Sandbox)', () => {
  it('gives each organization its own accounts under constant ids', async () => {
    const [one, other] = [await running.addTpp(), await running.addTpp()];
    const ids = (await one.accounts()).map(({ id }) => id);
    expect((await one.accounts()).map(({ id }) => id)).toEqual(ids);
    const foreign = (await other.accounts()).map(({ id }) => id);
    expect(new Set([...ids, ...foreign]).size).toBe(ids.length + foreign.length);

    const [[mine], [theirs]] = [await one.posted(ids[0]!), await other.posted(foreign[0]!)];
    expect(mine!.id).not.toBe(theirs!.id);
    expect(mine!.title).toBe(theirs!.title);
  });

  it('gives a client its simulated accounts although it has a consent already (§5.9)', async () => {
    const [owner, guest] = [await running.addTpp(), await running.addTpp()];
    const { id } = await owner.account();
    await running.pool.query(
      `WITH granted AS (INSERT INTO consent (id, client_id, user_id, granted_at, roles)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), now(), '{PSP_AI}') RETURNING id)
       INSERT INTO consent_account SELECT id, $2 FROM granted`,
      [guest.clientId, id],
    );
    const ids = (await guest.accounts()).map((account) => account.id);
    expect(ids).toHaveLength(SIMULATED.open + 1);
    expect(ids).toContain(id);
  });

  it('creates the accounts once for concurrent first uses of a client', async () => {
    const tpp = await running.addTpp();
    const lists = await Promise.all(Array.from({ length: 8 }, () => tpp.accounts()));
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(lists[0]).toHaveLength(SIMULATED.open);
  });

  it('gives a foreign account the answer of an unknown one', async () => {
    const [one, other] = [await running.addTpp(), await running.addTpp()];
    const { id } = await other.account();
    await one.accounts();
    const foreign = await one.refusal(`/v2/accounts/${id}/transactions`);
    expect(foreign).toEqual({ status: 404, errorCode: 'RESOURCE_UNKNOWN', message: expect.any(String) });
    for (const unknown of [randomUUID(), 'not-a-uuid', '%00', "1'--"])
      expect(await one.refusal(`/v2/accounts/${encodeURIComponent(unknown)}/transactions`)).toEqual(foreign);
    await expect(running.getAccount(one.clientId, id)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  });

  it('never shows the savings account (§1)', async () => {
    const tpp = await running.addTpp();
    const listed = (await tpp.accounts()).map(({ id }) => id);
    const { rows } = await running.pool.query<{ id: string; type: string }>(
      `SELECT account.id, account.type FROM account JOIN consent_account ON account_id = account.id
       JOIN consent ON consent.id = consent_id WHERE client_id = $1 GROUP BY account.id`,
      [tpp.clientId],
    );
    const savings = rows.filter(({ type }) => type === 'SAVINGS').map(({ id }) => id);
    expect(savings).toHaveLength(1);
    expect(listed).not.toContain(savings[0]);
    expect(listed).toHaveLength(rows.length - 1);
    expect(await tpp.refusal(`/v2/accounts/${savings[0]}/transactions`)).toMatchObject({ status: 404 });
    await expect(running.getAccount(tpp.clientId, savings[0]!)).rejects.toMatchObject({
      code: 'RESOURCE_UNKNOWN',
    });
    const { consents } = await running.listConsents(tpp.clientId);
    expect(consents.flatMap(({ accountIds }) => accountIds)).not.toContain(savings[0]);
  });
});

describe('AccountAccess and Consents for the other services', () => {
  it('return the fields of an account that a payment needs', async () => {
    const tpp = await running.addTpp();
    const account = await tpp.account();
    const answer = await running.getAccount(tpp.clientId, account.id);
    const { consents } = await running.listConsents(tpp.clientId);
    const { userId } = consents.find(({ accountIds }) => accountIds.includes(account.id))!;
    expect(answer).toEqual({
      accountId: account.id,
      bban: account.bban,
      iban: account.iban,
      currency: 'DKK',
      available: { value: account.balanceAvailableAmount.toFixed(2), currency: 'DKK' },
      supportsPayments: true,
      supportsTransfers: true,
      ownerName: 'Freja Lindholm',
      userId,
    });
  });

  it('create the accounts of a client on its first use', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-1001';
    const [first, second, other] = [
      await running.addTpp({ organizationIdentifier }),
      await running.addTpp({ organizationIdentifier }),
      await running.addTpp(),
    ];
    const { id: accountId } = await first.account();
    expect(await running.getAccount(second.clientId, accountId)).toMatchObject({
      accountId,
      currency: 'DKK',
    });
    expect((await running.listConsents(other.clientId)).consents).not.toEqual([]);
    const upperCase = await running.getAccount(second.clientId.toUpperCase(), accountId.toUpperCase());
    expect(upperCase.accountId).toBe(accountId);
  });

  it('find no account under malformed ids, and are UNAVAILABLE for a client that is not known yet', async () => {
    const { clientId } = await running.addTpp();
    const unknown = { code: 'RESOURCE_UNKNOWN' };
    await expect(running.getAccount('', '')).rejects.toMatchObject(unknown);
    await expect(running.getAccount(clientId, randomUUID())).rejects.toMatchObject(unknown);
    await expect(running.listConsents('x')).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
    const busy = { code: 'UNAVAILABLE', retryAfterSeconds: 1 };
    await expect(running.getAccount(randomUUID(), randomUUID())).rejects.toMatchObject(busy);
    await expect(running.listConsents(randomUUID())).rejects.toMatchObject(busy);
  });
});
