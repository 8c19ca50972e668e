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

describe('limits of the sandbox (§8)', () => {
  it.each(['0', '1', '-0.1', 'half'])(
    'leaves room for others: no organization has a share of %s',
    (share) => {
      expect(() => limits({ SANDBOX_ORGANIZATION_SHARE: share })).toThrow('SANDBOX_ORGANIZATION_SHARE');
    },
  );
});
