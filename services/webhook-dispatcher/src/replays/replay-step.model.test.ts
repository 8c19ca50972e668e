import {
  afterSettling,
  afterWalk,
  boundsOf,
  type ClaimedReplay,
  deliversFrom,
  mayNotBeReplicated,
  onHold,
  STEP,
  stillOpen,
  type WalkedEvents,
} from './replay-step.model.ts';

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

const event = (id: string) => ({ at: time('12:30:00.000'), id, time: time('12:00:00.000') });
const position = (id: string) => ({ at: time('12:30:00.000'), id });

const WALKED: WalkedEvents = {
  room: 2,
  scanned: STEP.events,
  last: position('last'),
  matched: [event('a')],
};

describe('what a replay walks (§4.6)', () => {
  it('is the range that was asked for', () => {
    const { from, to } = REPLAY;
    expect(boundsOf({ ...REPLAY, cause: 'ASKED', phase: 'TIME' })).toEqual({ from, to });
  });

  it('after a pause what was recorded meanwhile, its last millisecond included', () => {
    expect(boundsOf(REPLAY)).toEqual({ from: REPLAY.from, to: time('13:00:00.001') });
  });

  it('after a pause events from ten minutes before it, and as far ahead as an event may be', () => {
    expect(boundsOf({ ...REPLAY, phase: 'TIME' })).toEqual({
      from: time('11:50:00.000'),
      to: time('14:00:00.001'),
    });
  });

  it('after a pause none from before the subscription, but for what clocks differ', () => {
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

  it('waits for those who were recording, not for whoever came later', () => {
    expect(stillOpen(REPLAY, ['3/1', '4/2'])).toEqual(['3/1', '4/2']);
    expect(stillOpen({ ...REPLAY, waitsFor: ['3/1', '4/2'] }, ['4/2', '5/9'])).toEqual(['4/2']);
    expect(stillOpen({ ...REPLAY, waitsFor: ['3/1'] }, ['5/9'])).toEqual([]);
  });

  it('begins to walk once nobody is waited for', () => {
    expect(afterSettling(['3/1'])).toMatchObject({ phase: 'SETTLING', isEnd: false });
    expect(afterSettling([])).toEqual({ phase: 'LATE', reached: null, isEnd: false, waitMs: 0 });
  });

  it('stays where it is while the subscription is paused, and while there is no room', () => {
    const { phase, reached } = REPLAY;
    expect(onHold(REPLAY)).toEqual({ phase, reached, isEnd: false, waitMs: 1_000 });
    const none = { room: 0, scanned: 0, last: undefined, matched: [] };
    expect(afterWalk(REPLAY, none)).toEqual({ phase, reached, isEnd: false, waitMs: 50 });
  });

  it('goes on behind the last event that it looked at', () => {
    expect(afterWalk(REPLAY, WALKED)).toEqual({
      phase: 'LATE',
      reached: position('last'),
      isEnd: false,
      waitMs: 0,
    });
  });

  it('goes on behind the last that it delivered when there was no room for more', () => {
    const full = { ...WALKED, scanned: 5, matched: [event('a'), event('b')] };
    expect(afterWalk(REPLAY, full)).toEqual({
      phase: 'LATE',
      reached: position('b'),
      isEnd: false,
      waitMs: 0,
    });
  });

  it('goes over to events by their time once there are no late ones, and ends when there are none of these', () => {
    const less = { ...WALKED, scanned: STEP.events - 1 };
    expect(afterWalk(REPLAY, less)).toEqual({ phase: 'TIME', reached: null, isEnd: false, waitMs: 0 });
    expect(afterWalk({ ...REPLAY, phase: 'TIME' }, less)).toMatchObject({ phase: 'TIME', isEnd: true });
    const nothing = { room: 2, scanned: 0, last: undefined, matched: [] };
    expect(afterWalk({ ...REPLAY, phase: 'TIME' }, nothing)).toEqual({
      phase: 'TIME',
      reached: REPLAY.reached,
      isEnd: true,
      waitMs: 0,
    });
  });
});
