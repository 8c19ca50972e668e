import { boundsOf, type ClaimedReplay, deliversFrom, mayNotBeReplicated } from './replay-step.model.ts';

const time = (text: string): Date => new Date(`2026-11-22T${text}Z`);

const REPLAY: ClaimedReplay = {
  id: 'r',
  cause: 'RESUMED',
  phase: 'LATE',
  waitsFor: null,
  reached: { at: time('11:00:00.000'), id: 'reached' },
  subscriptionId: 's',
  clientId: 'c',
  subscriptionStatus: 'ACTIVE',
  eventTypes: [],
  subscribedAt: time('10:00:00.000'),
  from: time('12:00:00.000'),
  to: time('13:00:00.000'),
};

describe('the range that a replay walks (§4.6)', () => {
  it('is the requested range', () => {
    const { from, to } = REPLAY;
    expect(boundsOf({ ...REPLAY, cause: 'ASKED', phase: 'TIME' })).toEqual({ from, to });
  });

  it('is, after a pause, the time of the pause with its last millisecond', () => {
    expect(boundsOf(REPLAY)).toEqual({ from: REPLAY.from, to: time('13:00:00.001') });
  });

  it('begins ten minutes before a pause, and ends as far ahead as an event may be', () => {
    expect(boundsOf({ ...REPLAY, phase: 'TIME' })).toEqual({
      from: time('11:50:00.000'),
      to: time('14:00:00.001'),
    });
  });

  it('begins at the subscription, with a tolerance for clocks', () => {
    expect(deliversFrom(REPLAY)).toEqual(time('09:59:00.000'));
  });
});

describe('a step of a replay (§4.6)', () => {
  it.each([
    ['10:00:59.999', true],
    ['10:01:00.000', false],
  ])('at %s, a minute after the subscription, waits for an unknown client: %s (ADR-0010)', (now, waits) => {
    expect(mayNotBeReplicated(REPLAY, time(now))).toBe(waits);
  });
});
