import { randomBytes } from 'node:crypto';
import { ProvenCredentials } from './credential-cache.model.ts';

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
    const accepted = (i: number) => ({ clientId: `c${i}`, revision: 1n });
    for (let i = 0; i < 10_000; i++) proven.remember(of(i), accepted(i));
    expect(proven.recall(of(0))).toEqual(accepted(0));
    // What is accepted once more is the newest, and pushes nobody out.
    proven.remember(of(0), accepted(0));
    expect(proven.size).toBe(10_000);
    proven.remember(of(10_000), accepted(10_000));
    expect(proven.size).toBe(10_000);
    expect([0, 1, 2, 10_000].map((i) => proven.recall(of(i))?.clientId)).toEqual([
      'c0',
      undefined,
      'c2',
      'c10000',
    ]);
  });

  it('push out no others, in however many ways one client writes its own', () => {
    const proven = new ProvenCredentials(randomBytes(32));
    const others = { clientId: 'other', revision: 1n };
    proven.remember({ ...shown, basic: 'Basic other' }, others);
    const written = (i: number) => ({ ...shown, basic: `Basic ${' '.repeat(i)}right` });
    const own = { clientId: 'c', revision: 7n };
    proven.remember({ ...written(1), certificateThumbprint: 'u' }, own);
    for (let i = 0; i < 20_000; i++) proven.remember(written(i), own);
    expect(proven.recall({ ...shown, basic: 'Basic other' })).toEqual(others);
    expect(proven.recall({ ...written(1), certificateThumbprint: 'u' })).toEqual(own);
    expect(proven.size).toBe(1 + 1 + 4);
    expect([19_995, 19_996, 19_999].map((i) => proven.recall(written(i)))).toEqual([undefined, own, own]);
  });
});
