import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { DAY_S, type Driver, startDriver } from './sandbox-driver.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

describe('the clock of a client (§Sandbox)', () => {
  it('shows the real time until it is moved, and moves this client alone', async () => {
    const [mover, other] = [await driver.running.addTpp(), await driver.running.addTpp()];
    for (const reader of [mover, other])
      expect((await reader.get('/sandbox/clock')).body).toEqual({ now: expect.any(String), aheadSeconds: 0 });
    const before = Date.now();
    const moved = await driver.advance('P3D', mover);
    expect(moved).toMatchObject({ status: 200, body: { aheadSeconds: 3 * DAY_S } });
    const shown = Date.parse(moved.body.now as string) - 3 * DAY_S * 1_000;
    expect(shown).toBeGreaterThanOrEqual(before - 1);
    expect(shown).toBeLessThanOrEqual(Date.now() + 1);
    expect((await driver.advance(60, mover)).body.aheadSeconds).toBe(3 * DAY_S + 60);
    expect((await mover.get('/sandbox/clock')).body.aheadSeconds).toBe(3 * DAY_S + 60);
    expect((await other.get('/sandbox/clock')).body.aheadSeconds).toBe(0);
  });

  it('ends the transactions that become due, at their due times', async () => {
    const mover = await driver.running.addTpp();
    const accountId = await driver.idOf('Lønkonto', mover);
    const { pending } = await mover.page(accountId);
    expect(pending).toHaveLength(3);
    const before = await driver.state(accountId);
    await driver.advance('P1D', mover);
    const hotel = pending.find(({ title }) => title === 'Hotel am Hafen')!;
    const fuel = pending.find(({ title }) => title === 'Tankgården')!;
    const [due] = (
      await driver.running.pool.query<{ ends_at: Date }>(
        'SELECT ends_at FROM sandbox_due WHERE transaction_id = $1',
        [fuel.id],
      )
    ).rows;
    expect((await driver.statusOf(hotel.id))!.status).toBe('authorization');
    await driver.advance('P2D', mover);
    await driver.ended(fuel.id, 'financial');
    await driver.ended(hotel.id, 'failed_authorization');
    await until(async () => (await mover.page(accountId)).pending.length === 0, { what: 'nothing pending' });
    expect(await driver.statusOf(fuel.id)).toEqual({ status: 'financial', posting_time: due!.ends_at });
    expect(await driver.state(accountId)).toEqual({ balance: before.balance - 12_395 - 60_000, reserved: 0 });
    const events = await driver.eventsOf(fuel.id);
    expect(events).toHaveLength(1);
    expect(events[0]!.postingTime).toBe(due!.ends_at.toISOString());
    // The time of an event is not in the future for its receivers.
    expect(Date.parse(events[0]!.eventTime)).toBeLessThanOrEqual(Date.now());
  });

  it('is the clock of the ledger, too: later postings have later times', async () => {
    const mover = await driver.running.addTpp();
    const accountId = await driver.idOf('Budgetkonto', mover);
    const { body } = await driver.advance('P10D', mover);
    const { postingTime } = await driver.running.post({ accountId });
    expect(postingTime!.getTime()).toBeGreaterThanOrEqual(Date.parse(body.now as string));
    const posted = await driver.send(
      `/sandbox/accounts/${accountId}/postings`,
      { amount: -1, currency: 'DKK' },
      mover,
    );
    expect(Date.parse(posted.body.postingTime as string)).toBeGreaterThan(postingTime!.getTime());
    const { id } = await driver.tpp.account('Budgetkonto');
    expect((await driver.running.post({ accountId: id })).postingTime!.getTime()).toBeLessThanOrEqual(
      Date.now() + 1_000,
    );
  });

  it('ends consents that expire by it, and no others', async () => {
    const mover = await driver.running.addTpp();
    const [first] = await mover.accounts();
    const { consents } = await driver.running.listConsents(mover.clientId);
    const { consentId } = consents.find(({ accountIds }) => accountIds.includes(first!.id))!;
    await driver.running.pool.query(
      `UPDATE consent SET valid_until = now() + interval '2 days' WHERE id = $1`,
      [consentId],
    );
    await driver.advance('PT47H59M', mover);
    expect((await mover.accounts()).map(({ id }) => id)).toContain(first!.id);
    await driver.advance('PT2M', mover);
    expect((await mover.accounts()).map(({ id }) => id)).not.toContain(first!.id);
    expect(await mover.refusal(`/v2/accounts/${first!.id}/transactions`)).toMatchObject({ status: 404 });
    expect((await mover.accounts()).length).toBeGreaterThan(0);

    // A consent given after the move has the normal duration.
    const { users } = await driver.running.listUsers(mover.clientId);
    const userId = (await driver.running.getConsent(consentId, mover.clientId)).consent!.userId;
    expect(users.map((user) => user.userId)).toContain(userId);
    await driver.running.createConsent({
      consentId: randomUUID(),
      clientId: mover.clientId,
      userId,
      accountIds: [first!.id],
      roles: ['PSP_AI'],
      validUntil: new Date(Date.now() + DAY_S * 1_000),
    });
    expect((await mover.accounts()).map(({ id }) => id)).toContain(first!.id);
    await driver.advance('P1DT1S', mover);
    expect((await mover.accounts()).map(({ id }) => id)).not.toContain(first!.id);
  });

  it('advances ten years at most, by month, week or second', async () => {
    const mover = await driver.running.addTpp();
    expect((await driver.advance('P3653D', mover)).status).toBe(200);
    for (const by of ['PT1S', 'P999999999Y', 999_999_999])
      expect(await driver.advance(by, mover)).toMatchObject({
        status: 409,
        body: { errorCode: 'STATUS_INVALID' },
      });
    expect((await mover.get('/sandbox/clock')).body.aheadSeconds).toBe(3_653 * DAY_S);
  });

  it.each(['', 'P', 'P1.5D', '-P1D', 'PT0S', 0, -1, 1.5, 1e12, null, ['P1D']])(
    'refuses advance: %j',
    async (by) => {
      expect(await driver.advance(by as string)).toMatchObject({
        status: 400,
        body: { errorCode: 'FORMAT_ERROR', details: [{ path: 'advance' }] },
      });
    },
  );

  it('is listed for other services in the order of the moves (gRPC ListMovedClocks)', async () => {
    const [one, two, still] = [
      await driver.running.addTpp(),
      await driver.running.addTpp(),
      await driver.running.addTpp(),
    ];
    await driver.accountsOf(still);
    await driver.advance('P1D', one);
    await driver.advance('P2D', two);
    const { clocks } = await driver.running.listMovedClocks();
    const mine = clocks.filter(({ clientId }) =>
      [one, two, still].some((reader) => reader.clientId === clientId),
    );
    expect(mine.map(({ clientId, offsetMilliseconds }) => [clientId, offsetMilliseconds])).toEqual([
      [one.clientId, 86_400_000n],
      [two.clientId, 172_800_000n],
    ]);
    await driver.advance('P1D', one);
    const later = await driver.running.listMovedClocks(mine[1]!.movedAt);
    expect(later.clocks.map(({ clientId, offsetMilliseconds }) => [clientId, offsetMilliseconds])).toEqual([
      [two.clientId, 172_800_000n],
      [one.clientId, 172_800_000n],
    ]);
  });
});
