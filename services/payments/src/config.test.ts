import { readConfig } from '@kontoport/config';
import { config } from './config.ts';

const limits = (env: Record<string, string> = {}) => {
  const { SANDBOX_ENTRIES_PER_CLIENT, SANDBOX_ENTRIES_TOTAL, SANDBOX_ORGANIZATION_SHARE } = config;
  const { SANDBOX_EVENTS_TOTAL } = config;
  return readConfig(
    {
      SANDBOX_ENTRIES_PER_CLIENT,
      SANDBOX_ENTRIES_TOTAL,
      SANDBOX_ORGANIZATION_SHARE,
      SANDBOX_EVENTS_TOTAL,
    },
    env,
  );
};

describe('what the sandbox keeps (§8)', () => {
  it('is 10,000 entries of a client, 100,000 of all, a fifth of what others leave of an organization, 20,000 events', () => {
    expect(limits()).toEqual({
      SANDBOX_ENTRIES_PER_CLIENT: 10_000,
      SANDBOX_ENTRIES_TOTAL: 100_000,
      SANDBOX_ORGANIZATION_SHARE: 0.2,
      SANDBOX_EVENTS_TOTAL: 20_000,
    });
  });

  it.each(['0', '1', '-0.1', 'half'])(
    'leaves room for others: no organization has a share of %s',
    (share) => {
      expect(() => limits({ SANDBOX_ORGANIZATION_SHARE: share })).toThrow('SANDBOX_ORGANIZATION_SHARE');
    },
  );
});

describe('how long payments take and wait', () => {
  it('is 3 s to a settlement, 2 s at most for what is booked at once (§3.2), a quarter of an hour for a user (§4.4)', () => {
    const { SETTLEMENT_DELAY, BOOKING_WAIT, APPROVAL_LIFETIME } = config;
    expect(readConfig({ SETTLEMENT_DELAY, BOOKING_WAIT, APPROVAL_LIFETIME }, {})).toEqual({
      SETTLEMENT_DELAY: 3_000,
      BOOKING_WAIT: 2_000,
      APPROVAL_LIFETIME: 900_000,
    });
  });
});
