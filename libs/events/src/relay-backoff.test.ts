import { nextPollDelay, relayBackoff } from './relay-backoff.ts';

const round = { sent: 1, tookMs: 12, readingMs: 2, hasFailingTopics: false };

describe('the pause of a relay after a round', () => {
  it.each([
    { sent: 0, tookMs: 12, rest: 0 },
    { sent: 1, tookMs: 50, rest: 0 },
    { sent: 7, tookMs: 12, rest: 0 },
    { sent: 8, tookMs: 12, rest: 12 },
    { sent: 500, tookMs: 19, rest: 19 },
    { sent: 500, tookMs: 21, rest: 20 },
  ])('of $sent rows in $tookMs ms is $rest ms', ({ rest, ...more }) => {
    expect(relayBackoff({ ...round, ...more })).toBe(rest);
  });

  it.each([
    { sent: 0, tookMs: 12, readingMs: 2, rest: 18 },
    { sent: 8, tookMs: 19, readingMs: 2, rest: 19 },
    { sent: 8, tookMs: 17, readingMs: 2, rest: 18 },
    { sent: 8, tookMs: 900, readingMs: 200, rest: 1_800 },
  ])('that read for $readingMs ms past a topic in trouble is $rest ms', ({ rest, ...more }) => {
    expect(relayBackoff({ ...more, hasFailingTopics: true })).toBe(rest);
  });
});

describe('the poll of a relay after a round', () => {
  it.each([
    { sent: 0, pollMs: 100, after: 100 },
    { sent: 1, pollMs: 100, after: 10 },
    { sent: 7, pollMs: 100, after: 10 },
    { sent: 7, pollMs: 5, after: 5 },
    { sent: 8, pollMs: 100, after: 0 },
    { sent: 500, pollMs: 100, after: 0 },
  ])('that sent $sent is after $after ms, with one each $pollMs ms', ({ sent, pollMs, after }) => {
    expect(nextPollDelay(sent, pollMs)).toBe(after);
  });
});
