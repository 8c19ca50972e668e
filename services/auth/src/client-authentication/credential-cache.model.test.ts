import { randomBytes } from 'node:crypto';
import { CredentialCache } from './credential-cache.model.ts';

const presented = { basic: 'Basic right', certificateThumbprint: 't' };

describe('the cache of accepted credentials (§4.1)', () => {
  it('finds them with the client and its revision', () => {
    const cache = new CredentialCache(randomBytes(32));
    expect(cache.find(presented)).toBeUndefined();
    cache.add(presented, { clientId: 'c', revision: 7n });
    expect(cache.find({ ...presented })).toEqual({ clientId: 'c', revision: 7n });
    cache.add(presented, { clientId: 'c', revision: 8n });
    expect(cache.find(presented)).toEqual({ clientId: 'c', revision: 8n });
    expect(cache.size).toBe(1);
  });

  it.each([
    ['another header', { basic: 'Basic wrong' }],
    ['another certificate', { certificateThumbprint: 'u' }],
  ])('finds nothing for %s', (_what, change) => {
    const cache = new CredentialCache(randomBytes(32));
    cache.add(presented, { clientId: 'c', revision: 7n });
    expect(cache.find({ ...presented, ...change })).toBeUndefined();
  });

  it('evicts the oldest beyond 10,000 entries', () => {
    const cache = new CredentialCache(randomBytes(32));
    const of = (i: number) => ({ ...presented, basic: `Basic ${i}` });
    const accepted = (i: number) => ({ clientId: `c${i}`, revision: 1n });
    for (let i = 0; i < 10_000; i++) cache.add(of(i), accepted(i));
    expect(cache.find(of(0))).toEqual(accepted(0));
    // Added again, an entry is the newest.
    cache.add(of(0), accepted(0));
    expect(cache.size).toBe(10_000);
    cache.add(of(10_000), accepted(10_000));
    expect(cache.size).toBe(10_000);
    expect([0, 1, 2, 10_000].map((i) => cache.find(of(i))?.clientId)).toEqual([
      'c0',
      undefined,
      'c2',
      'c10000',
    ]);
  });

  it('evicts no other client’s entries for one that encodes its credentials in many ways', () => {
    const cache = new CredentialCache(randomBytes(32));
    const others = { clientId: 'other', revision: 1n };
    cache.add({ ...presented, basic: 'Basic other' }, others);
    const written = (i: number) => ({ ...presented, basic: `Basic ${' '.repeat(i)}right` });
    const own = { clientId: 'c', revision: 7n };
    cache.add({ ...written(1), certificateThumbprint: 'u' }, own);
    for (let i = 0; i < 20_000; i++) cache.add(written(i), own);
    expect(cache.find({ ...presented, basic: 'Basic other' })).toEqual(others);
    expect(cache.find({ ...written(1), certificateThumbprint: 'u' })).toEqual(own);
    expect(cache.size).toBe(1 + 1 + 4);
    expect([19_995, 19_996, 19_999].map((i) => cache.find(written(i)))).toEqual([undefined, own, own]);
  });
});
