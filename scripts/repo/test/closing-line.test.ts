import { summarize } from '../test.ts';

const FAILED = `
 NX   Running targets typecheck, test for 3 projects failed

Failed tasks:

- kontoport:openapi
\u001b[31m- @kontoport/auth:test\u001b[39m
- @kontoport/money:typecheck

  Run duration:      44.2s
`;

describe('the closing line of npm test', () => {
  it.each([
    ['all passed', { passed: 7, failed: 0, skipped: 0 }, { code: 0, end: '' }, '7 passed, 0 failed', 0],
    [
      'some skipped',
      { passed: 7, failed: 0, skipped: 2 },
      { code: 0, end: '' },
      '7 passed, 0 failed, 2 skipped',
      0,
    ],
    [
      'failed tests and checks: each check counts as one',
      { passed: 7, failed: 3, skipped: 0 },
      { code: 1, end: FAILED },
      '7 passed, 5 failed',
      1,
    ],
    [
      'Nx fails by itself',
      { passed: 0, failed: 0, skipped: 0 },
      { code: 1, end: '' },
      '0 passed, 1 failed',
      1,
    ],
  ])('%s', (_, counts, nx, line, code) => {
    expect(summarize(counts, nx)).toEqual({ line, code });
  });
});
