import { type DraftEvent, type DraftStatus, nextStatus, TRANSITIONS } from './draft-status.model.ts';

const EVENTS: DraftEvent[] = [
  'update',
  'submit',
  'approve',
  'refuse',
  'expire',
  'cancel',
  'post',
  'postpone',
  'settle',
  'reject',
];

describe('draft and payment states (§3.2)', () => {
  it.each([
    ['CREATED', 'update', 'CREATED'],
    ['CREATED', 'approve', 'PENDING'],
    ['PENDING', 'settle', 'COMPLETED'],
    ['PENDING', 'cancel', 'CREATED'],
  ] as const)('%s, %s: %s', (status, event, next) => {
    expect(nextStatus(status, event)).toBe(next);
  });

  it.each(Object.keys(TRANSITIONS) as DraftStatus[])(
    '%s refuses every event that it does not list',
    (status) => {
      for (const event of EVENTS.filter((candidate) => TRANSITIONS[status][candidate] === undefined))
        expect(() => nextStatus(status, event)).toThrow(
          expect.objectContaining({ code: 'STATUS_INVALID', status: 409 }),
        );
    },
  );

  it.each(['COMPLETED', 'REJECTED', 'EXPIRED'] as const)('%s is the end', (status) => {
    expect(TRANSITIONS[status]).toEqual({});
  });
});
