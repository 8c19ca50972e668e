import { randomBytes } from 'node:crypto';
import { ProvenCredentials } from './proven-credentials.model.ts';

const shown = { clientId: 'c', clientSecret: 'right', certificateThumbprint: 't' };

describe('credentials that were accepted (§4.1)', () => {
  it('hold for the client as it was then, and no other', () => {
    const proven = new ProvenCredentials(randomBytes(32));
    expect(proven.holds(shown, 7n)).toBe(false);
    proven.remember(shown, 7n);
    expect([6n, 7n, 8n].map((revision) => proven.holds(shown, revision))).toEqual([false, true, false]);
    proven.remember(shown, 8n);
    expect([7n, 8n].map((revision) => proven.holds(shown, revision))).toEqual([false, true]);
  });

  it.each([
    ['another secret', { clientSecret: 'wrong' }],
    ['another client', { clientId: 'd' }],
    ['another certificate', { certificateThumbprint: 'u' }],
  ])('hold nothing for %s', (_what, change) => {
    const proven = new ProvenCredentials(randomBytes(32));
    proven.remember(shown, 7n);
    expect(proven.holds({ ...shown, ...change }, 7n)).toBe(false);
  });

  it('take bounded memory, and the oldest are forgotten first', () => {
    const proven = new ProvenCredentials(randomBytes(32));
    const of = (i: number) => ({ ...shown, clientId: `c${i}` });
    for (let i = 0; i < 10_000; i++) proven.remember(of(i), 1n);
    expect(proven.holds(of(0), 1n)).toBe(true);
    proven.remember(of(10_000), 1n);
    expect(proven.size).toBe(10_000);
    expect([0, 1, 10_000].map((i) => proven.holds(of(i), 1n))).toEqual([false, true, true]);
  });
});
