import type { Tx } from '@kontoport/database';
import { OpenItemQuota } from './open-item-quota.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
/** Nothing is read from it: the count is given. */
const TX = {} as Tx;
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

/** OpenItemQuota of a client and an organization, over a count that is constant unless it is set. */
function quotaOf(limits: { ofClient: number; ofOrganization: number }) {
  const stored = { ofClient: 0, ofOrganization: 0, asked: 0, limit: 0 };
  const quota = new OpenItemQuota({
    limits,
    async count(_tx, { limit }) {
      stored.asked += 1;
      stored.limit = limit;
      return stored;
    },
  });
  const reserve = (entries = 1, now = NOW, clientId = 'client') =>
    quota.reserve(TX, { clientId, organizationIdentifier: 'organization', entries, now });
  return { quota, stored, reserve };
}

describe('open items are bounded in production (§8)', () => {
  it('counts stored items and later reservations, up to the limit of a client', async () => {
    const { stored, reserve } = quotaOf({ ofClient: 5, ofOrganization: 9 });
    stored.ofClient = 2;
    await reserve(2);
    await reserve();
    await expect(reserve()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 60,
      text: { rule: 'client-open-full' },
    });
    expect([stored.asked, stored.limit]).toEqual([1, 10]);
  });

  it('counts the clients of an organization together', async () => {
    const { stored, reserve } = quotaOf({ ofClient: 5, ofOrganization: 6 });
    await reserve(5, NOW, 'one');
    // Nothing is known of the other client. Of the organization, the entries since the count are known.
    stored.ofOrganization = 5;
    await reserve(1, NOW, 'two');
    await expect(reserve(1, NOW, 'two')).rejects.toMatchObject({ text: { rule: 'organization-open-full' } });
    await expect(reserve(1, NOW, 'one')).rejects.toMatchObject({ text: { rule: 'client-open-full' } });
  });

  it('holds for concurrent requests that count separately', async () => {
    const { stored, reserve } = quotaOf({ ofClient: 3, ofOrganization: 5 });
    const asked = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => reserve(1, NOW, 'one')),
      ...Array.from({ length: 20 }, () => reserve(1, NOW, 'two')),
    ]);
    const taken = asked.map(({ status }) => status === 'fulfilled');
    expect(taken.slice(0, 20).filter(Boolean)).toHaveLength(3);
    expect(taken.slice(20).filter(Boolean)).toHaveLength(2);
    expect(stored.asked).toBe(40);
    // It counts once more when the first count is old.
    [stored.ofClient, stored.ofOrganization] = [2, 4];
    const again = await Promise.allSettled(
      Array.from({ length: 20 }, () => reserve(1, later(10_000), 'one')),
    );
    expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('counts again after 10 seconds, and not before', async () => {
    const { quota, stored, reserve } = quotaOf({ ofClient: 2, ofOrganization: 9 });
    await reserve(2);
    await expect(reserve(1, later(9_999))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    quota.sweep(later(9_999));
    expect(stored.asked).toBe(1);
    await reserve(1, later(10_000));
    expect(stored.asked).toBe(2);
    quota.sweep(later(20_000));
    await reserve(1, later(20_000));
    expect(stored.asked).toBe(3);
  });
});
