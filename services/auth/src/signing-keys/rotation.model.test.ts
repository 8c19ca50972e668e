import {
  type KeySchedule,
  planRotation,
  PUBLISHED_BEFORE_SIGNING_MS,
  publishedKeys,
  retirementFor,
  signingKey,
} from './rotation.model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const rotationMs = 24 * HOUR;
const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);

/** The rows after a plan was applied. */
function applied(keys: readonly KeySchedule[], now: Date, rotation = rotationMs): KeySchedule[] {
  const plan = planRotation(keys, { now, rotationMs: rotation });
  const kept = keys
    .filter(({ kid }) => !plan.remove.includes(kid))
    .map((key) => ({ ...key, ...plan.retire.find(({ kid }) => kid === key.kid) }));
  const created = plan.create.map((activeFrom, index) => {
    const successor = plan.create[index + 1];
    return {
      kid: activeFrom.toISOString(),
      createdAt: now,
      activeFrom,
      retireAt: successor && retirementFor(successor),
    };
  });
  return [...kept, ...created];
}

const first = applied([], start);
const [current, next] = first as [KeySchedule, KeySchedule];

describe('rotation of signing keys', () => {
  it('begins with a key that signs at once and its successor, published a rotation ahead', () => {
    expect(first).toEqual([
      { kid: current.kid, createdAt: start, activeFrom: start, retireAt: after(25 * HOUR + 5 * MINUTE) },
      { kid: next.kid, createdAt: start, activeFrom: after(24 * HOUR), retireAt: undefined },
    ]);
  });

  it('has nothing to do as long as a successor waits', () => {
    const nothing = { create: [], retire: [], remove: [] };
    expect(planRotation(first, { now: start, rotationMs })).toEqual(nothing);
    expect(planRotation(first, { now: after(24 * HOUR - 1), rotationMs })).toEqual(nothing);
  });

  it('makes a new successor when the old one takes over', () => {
    expect(planRotation(first, { now: after(24 * HOUR), rotationMs })).toEqual({
      create: [after(48 * HOUR)],
      retire: [{ kid: next.kid, retireAt: after(49 * HOUR + 5 * MINUTE) }],
      remove: [],
    });
  });

  it('removes a key when the last token it signed has long expired, and not before', () => {
    const rotated = applied(first, after(24 * HOUR));
    const retireAt = 25 * HOUR + 5 * MINUTE;
    expect(planRotation(rotated, { now: after(retireAt - 1), rotationMs }).remove).toEqual([]);
    expect(planRotation(rotated, { now: after(retireAt), rotationMs }).remove).toEqual([current.kid]);
  });

  it('never lets a key sign that was not published a quarter of an hour before, also after a long stop', () => {
    const now = after(100 * HOUR);
    const [successor] = planRotation(first, { now, rotationMs }).create;
    expect(successor).toEqual(new Date(now.getTime() + PUBLISHED_BEFORE_SIGNING_MS));
    expect(signingKey(applied(first, now), { now, readAt: now })?.kid).toBe(next.kid);
  });

  it('keeps every invariant over weeks of irregular rotation', () => {
    let keys: KeySchedule[] = [];
    const firstSigned = new Map<string, number>();
    const lastSigned = new Map<string, number>();
    const firstPublished = new Map<string, number>();
    for (let ms = 0, step = 1; ms < 21 * 24 * HOUR; ms += (step = (step * 7 + 3) % 97) * MINUTE) {
      const now = after(ms);
      keys = applied(keys, now, 3 * HOUR);
      const published = publishedKeys(keys, now).map(({ kid }) => kid);
      for (const kid of published) if (!firstPublished.has(kid)) firstPublished.set(kid, ms);
      const signer = signingKey(keys, { now, readAt: now })!;
      if (!firstSigned.has(signer.kid)) firstSigned.set(signer.kid, ms);
      lastSigned.set(signer.kid, ms);
      // A token signed up to an hour ago is still verifiable.
      const needed = [...lastSigned].filter(([, at]) => ms - at <= HOUR).map(([kid]) => kid);
      expect(published).toEqual(expect.arrayContaining(needed));
      expect([2, 3]).toContain(published.length);
    }
    const [, ...successors] = firstSigned;
    expect(successors.length).toBeGreaterThan(100);
    for (const [kid, ms] of successors)
      expect(ms - firstPublished.get(kid)!).toBeGreaterThanOrEqual(PUBLISHED_BEFORE_SIGNING_MS);
  });
});

describe('the key that signs', () => {
  it('is the newest whose time has come', () => {
    expect(signingKey(first, { now: start, readAt: start })?.kid).toBe(current.kid);
    expect(signingKey(first, { now: after(24 * HOUR - 1), readAt: start })?.kid).toBe(current.kid);
    const rotated = applied(first, after(24 * HOUR));
    const readAt = after(24 * HOUR);
    expect(signingKey(rotated, { now: readAt, readAt })?.kid).toBe(next.kid);
  });

  it('is the first one for a replica whose clock is behind', () => {
    expect(signingKey(first, { now: after(-MINUTE), readAt: after(-MINUTE) })?.kid).toBe(current.kid);
  });

  it('is known without the database until the last known successor could have been succeeded itself', () => {
    const now = after(24 * HOUR);
    expect(signingKey(first, { now: after(23 * HOUR), readAt: start })?.kid).toBe(current.kid);
    expect(signingKey(first, { now, readAt: after(24 * HOUR - 15 * MINUTE) })).toBeUndefined();
    expect(signingKey(first, { now, readAt: after(24 * HOUR - 15 * MINUTE + 1) })?.kid).toBe(next.kid);
  });

  it('is unknown before the keys were read', () => {
    expect(signingKey([], { now: start, readAt: new Date(0) })).toBeUndefined();
  });
});
