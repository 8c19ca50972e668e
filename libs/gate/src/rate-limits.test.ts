import { ApiError } from '@kontoport/errors';
import type { AnswerHeaders } from '@kontoport/http';
import { RateLimits, type RateLimitsOptions, type Usage } from './rate-limits.ts';

const START = new Date('2026-11-22T12:00:00.000Z');
const WINDOW_MS = 10_000;

const limitsOf = (changed: Partial<RateLimitsOptions> = {}): RateLimits =>
  new RateLimits({ client: 3, organization: 5, windowMs: WINDOW_MS, ...changed });

const later = (ms: number, than = START): Date => new Date(than.getTime() + ms);

/** Returns the outcome of a client's request, `let in` or the refusal, and the headers of its answer. */
function ask(limits: RateLimits, client: string, { organization = 'PSDDK-DFSA-1', now = START } = {}) {
  const headers: AnswerHeaders = {};
  const outcome = (() => {
    try {
      const counted = limits.countOrganization(organization, { now, headers });
      limits.countClient(client, { now, headers, organization: counted });
      return 'let in';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, seconds: error.retryAfterSeconds, message: error.message };
    }
  })();
  const reported = Object.fromEntries(
    [...(headers.ratelimit ?? '').matchAll(/"(\w+)";r=(\d+);t=(\d+)/g)].map(([, kind, r, t]) => [
      kind,
      { r: Number(r), t: Number(t) },
    ]),
  );
  return { outcome, headers, reported };
}

/** Sends a request of the client. @returns the end of its window */
function endOf(limits: RateLimits, client: string): number {
  ask(limits, client);
  return (
    limits
      .report(START)
      .find(({ key }) => key === `client ${client}`)!
      .endsAt.getTime() - START.getTime()
  );
}

describe('requests in a window (§8)', () => {
  it('are accepted up to the limit of the client, and refused until the window ends, to the millisecond', () => {
    const limits = limitsOf();
    const end = endOf(limits, 'a');
    expect(end).toBeGreaterThan(0);
    expect(end).toBeLessThanOrEqual(WINDOW_MS);
    expect([ask(limits, 'a').outcome, ask(limits, 'a').outcome]).toEqual(['let in', 'let in']);
    const last = later(end - 1);
    expect(ask(limits, 'a', { now: START }).outcome).toEqual({
      code: 'RATE_LIMITED',
      seconds: Math.ceil(end / 1_000),
      message: `A client may make 3 requests in 10 seconds; go on in ${Math.ceil(end / 1_000)} seconds.`,
    });
    expect(ask(limits, 'a', { now: last, organization: 'x' }).outcome).toMatchObject({ seconds: 1 });
    expect(ask(limits, 'a', { now: later(end), organization: 'x' }).outcome).toBe('let in');
  });

  it('report the remaining requests and seconds of both limits', () => {
    const limits = limitsOf();
    const end = endOf(limits, 'a');
    const { headers, reported } = ask(limits, 'a');
    expect(headers['ratelimit-policy']).toBe('"client";q=3;w=10, "organization";q=5;w=10');
    expect(reported).toEqual({
      client: { r: 1, t: Math.ceil(end / 1_000) },
      organization: { r: 3, t: expect.any(Number) },
    });
    ask(limits, 'a');
    const refused = ask(limits, 'a');
    expect(refused.reported.client!.r).toBe(0);
    expect(refused.outcome).toMatchObject({ seconds: refused.reported.client!.t });
  });

  it('of one client do not count for another, nor refused ones for its organization', () => {
    const limits = limitsOf();
    for (let asked = 0; asked < 50; asked++) ask(limits, 'greedy');
    expect(ask(limits, 'sibling').reported).toMatchObject({ client: { r: 2 }, organization: { r: 1 } });
    expect(ask(limits, 'stranger', { organization: 'PSDSE-FINA-2' }).reported).toMatchObject({
      client: { r: 2 },
      organization: { r: 4 },
    });
  });

  it('are refused to all clients of an exhausted organization, before the client is known', () => {
    const limits = limitsOf({ client: 100 });
    for (const client of ['a', 'b', 'c', 'd', 'e']) expect(ask(limits, client).outcome).toBe('let in');
    const { outcome, headers } = ask(limits, 'f');
    expect(outcome).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(
        /^The clients of an organization may make 5 requests in 10 seconds together/,
      ),
    });
    expect(headers['ratelimit-policy']).toBe('"organization";q=5;w=10');
    expect(headers.ratelimit).toMatch(/^"organization";r=0;t=\d+$/);
    expect(ask(limits, 'f', { organization: 'another' }).outcome).toBe('let in');
  });

  it('have windows with different beginnings', () => {
    const ends = Array.from({ length: 50 }, (_, at) => endOf(limitsOf(), `client-${at}`));
    expect(new Set(ends).size).toBeGreaterThan(25);
    expect(ends.every((end) => end > 0 && end <= WINDOW_MS)).toBe(true);
  });

  it('are counted for 10,000 clients and organizations, and the oldest is evicted', () => {
    const limits = limitsOf({ windowMs: 3_600_000, client: 1 });
    const name = (at: number): { client: string; organization: string } => ({
      client: `client-${at}`,
      organization: `organization-${at}`,
    });
    for (let at = 0; at < 10_000; at++) ask(limits, name(at).client, name(at));
    expect(limits.size).toBe(20_000);
    expect(ask(limits, 'client-0', name(0)).outcome).toMatchObject({ code: 'RATE_LIMITED' });
    ask(limits, 'one more', { organization: 'one more' });
    expect(limits.size).toBe(20_000);
    expect(ask(limits, 'client-1', name(1)).outcome).toMatchObject({ code: 'RATE_LIMITED' });
    expect(ask(limits, 'client-0', name(0)).outcome).toBe('let in');
    const dayLater = later(86_400_000);
    ask(limits, 'next day', { organization: 'next day', now: dayLater });
    expect(limits.size).toBe(2);
  });
});

describe('replicas add up what they count (§8)', () => {
  /** The sums that the table returns for these reports alone. */
  const sum = (...reported: readonly Usage[][]): Usage[] =>
    [...Map.groupBy(reported.flat(), ({ key }) => key).values()].map((usages) => ({
      ...usages[0]!,
      requests: usages.reduce((all, { requests }) => all + requests, 0),
    }));

  it('accept together as many as one', () => {
    const [one, other] = [limitsOf({ organization: 50 }), limitsOf({ organization: 50 })];
    ask(one, 'a');
    ask(other, 'a');
    const all = sum(one.report(START), other.report(START));
    expect(all.map(({ key, requests }) => [key, requests])).toEqual([
      ['client a', 2],
      ['organization PSDDK-DFSA-1', 2],
    ]);
    for (const limits of [one, other]) {
      limits.merge(all);
      expect(ask(limits, 'a').reported).toMatchObject({ client: { r: 0 }, organization: { r: 47 } });
      expect(ask(limits, 'a').outcome).toMatchObject({ code: 'RATE_LIMITED' });
    }
  });

  it('report each request once, for open windows only', () => {
    const limits = limitsOf();
    ask(limits, 'a');
    expect(limits.report(START)).toHaveLength(2);
    expect(limits.report(START)).toEqual([]);
    expect(ask(limits, 'a').reported.client!.r).toBe(1);
    expect(limits.report(START).map(({ requests }) => requests)).toEqual([1, 1]);
    ask(limits, 'a');
    expect(limits.report(later(WINDOW_MS))).toEqual([]);
  });

  it('report no key below a hundredth of its limit', () => {
    const limits = limitsOf({ client: 300, organization: 100_000 });
    ask(limits, 'a');
    ask(limits, 'a');
    expect(limits.report(START)).toEqual([]);
    ask(limits, 'a');
    expect(limits.report(START)).toMatchObject([{ key: 'client a', requests: 3 }]);
  });

  it('report a thousand keys at a time, and the others afterwards', () => {
    const limits = limitsOf();
    for (let at = 0; at < 1_500; at++) ask(limits, `client-${at}`, { organization: `organization-${at}` });
    expect(
      [limits.report(START), limits.report(START), limits.report(START)].map(({ length }) => length),
    ).toEqual([2_000, 1_000, 0]);
  });

  it('ignore another window, a smaller count, and an unknown key', () => {
    const limits = limitsOf();
    ask(limits, 'a');
    const [reported] = limits.report(START) as [Usage];
    limits.merge([{ ...reported, endsAt: later(1, reported.endsAt), requests: 3 }]);
    limits.merge([{ ...reported, requests: 0 }]);
    limits.merge([{ ...reported, key: 'client b', requests: 3 }]);
    limits.merge([{ ...reported, key: 'organization a', requests: 3 }]);
    expect(limits.size).toBe(2);
    expect(ask(limits, 'a').reported.client!.r).toBe(1);
  });
});
