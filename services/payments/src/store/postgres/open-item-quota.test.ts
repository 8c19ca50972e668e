import { Places } from './open-item-quota.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

/** Places of a client and an organization, over a count that stands still unless it is set. */
function placesOf(limits: { ofClient: number; ofOrganization: number }) {
  const stored = { ofClient: 0, ofOrganization: 0, asked: 0, limit: 0 };
  const places = new Places({
    limits,
    async count({ limit }) {
      stored.asked += 1;
      stored.limit = limit;
      return stored;
    },
  });
  const take = (entries = 1, now = NOW, clientId = 'client') =>
    places.take({ clientId, organizationIdentifier: 'organization', entries, now });
  return { places, stored, take };
}

describe('what no user approved is bounded in production, too (§8)', () => {
  it('counts what is stored and what it took since, up to the bound of a client', async () => {
    const { stored, take } = placesOf({ ofClient: 5, ofOrganization: 9 });
    stored.ofClient = 2;
    await take(2);
    await take();
    await expect(take()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 60,
      text: { rule: 'client-open-full' },
    });
    expect([stored.asked, stored.limit]).toEqual([1, 10]);
  });

  it('counts the clients of an organization together', async () => {
    const { stored, take } = placesOf({ ofClient: 5, ofOrganization: 6 });
    await take(5, NOW, 'one');
    // Of the other client nothing was known; of the organization it is known what it took since it was counted.
    stored.ofOrganization = 5;
    await take(1, NOW, 'two');
    await expect(take(1, NOW, 'two')).rejects.toMatchObject({ text: { rule: 'organization-open-full' } });
    await expect(take(1, NOW, 'one')).rejects.toMatchObject({ text: { rule: 'client-open-full' } });
  });

  it('holds for those who ask at once, whose counts know nothing of each other', async () => {
    const { stored, take } = placesOf({ ofClient: 3, ofOrganization: 5 });
    const asked = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => take(1, NOW, 'one')),
      ...Array.from({ length: 20 }, () => take(1, NOW, 'two')),
    ]);
    const taken = asked.map(({ status }) => status === 'fulfilled');
    expect(taken.slice(0, 20).filter(Boolean)).toHaveLength(3);
    expect(taken.slice(20).filter(Boolean)).toHaveLength(2);
    expect(stored.asked).toBe(40);
    // And once more, when what was counted is old.
    [stored.ofClient, stored.ofOrganization] = [2, 4];
    const again = await Promise.allSettled(Array.from({ length: 20 }, () => take(1, later(10_000), 'one')));
    expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('counts again after 10 seconds, and not before', async () => {
    const { places, stored, take } = placesOf({ ofClient: 2, ofOrganization: 9 });
    await take(2);
    await expect(take(1, later(9_999))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    places.sweep(later(9_999));
    expect(stored.asked).toBe(1);
    await take(1, later(10_000));
    expect(stored.asked).toBe(2);
    places.sweep(later(20_000));
    await take(1, later(20_000));
    expect(stored.asked).toBe(3);
  });

  it('has again what was given back', async () => {
    const { stored, take } = placesOf({ ofClient: 2, ofOrganization: 2 });
    const giveBack = await take(2);
    await expect(take()).rejects.toMatchObject({ text: { rule: 'client-open-full' } });
    giveBack();
    const giveBackAgain = await take(2);
    await expect(take(1, NOW, 'another')).rejects.toMatchObject({ text: { rule: 'organization-open-full' } });
    giveBackAgain();
    await expect(take(1, NOW, 'another')).resolves.toBeDefined();
    expect(stored.asked).toBe(2);
  });

  it('asks nothing for nothing', async () => {
    const { stored, take } = placesOf({ ofClient: 1, ofOrganization: 1 });
    await take(0);
    expect(stored.asked).toBe(0);
  });
});
