import { randomBytes } from 'node:crypto';
import { ProvenCredentials } from './proven-credentials.model.ts';

const shown = { basic: 'Basic right', certificateThumbprint: 't' };

describe('credentials that were accepted (§4.1)', () => {
  it('are known again with their client as it was then', () => {
    const proven = new ProvenCredentials(randomBytes(32));
    expect(proven.recall(shown)).toBeUndefined();
    proven.remember(shown, { clientId: 'c', revision: 7n });
    expect(proven.recall({ ...shown })).toEqual({ clientId: 'c', revision: 7n });
    proven.remember(shown, { clientId: 'c', revision: 8n });
    expect(proven.recall(shown)).toEqual({ clientId: 'c', revision: 8n });
    expect(proven.size).toBe(1);
  });

  it.each([
    ['another header', { basic: 'Basic wrong' }],
    ['another certificate', { certificateThumbprint: 'u' }],
  ])('are not known by %s', (_what, change) => {
    const proven = new ProvenCredentials(randomBytes(32));
    proven.remember(shown, { clientId: 'c', revision: 7n });
    expect(proven.recall({ ...shown, ...change })).toBeUndefined();
  });

  it('are forgotten, the oldest first, beyond 10,000', () => {
    const proven = new ProvenCredentials(randomBytes(32));
    const of = (i: number) => ({ ...shown, basic: `Basic ${i}` });
    const accepted = { clientId: 'c', revision: 1n };
    for (let i = 0; i < 10_000; i++) proven.remember(of(i), accepted);
    expect(proven.recall(of(0))).toBe(accepted);
    proven.remember(of(10_000), accepted);
    expect(proven.size).toBe(10_000);
    expect([0, 1, 10_000].map((i) => proven.recall(of(i)))).toEqual([undefined, accepted, accepted]);
  });
});
