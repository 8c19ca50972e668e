import { summarize } from '../test.ts';

const FAILED = `
Failed tasks:

- kontoport:openapi
\u001b[31m- @kontoport/auth:test\u001b[39m
- @kontoport/money:typecheck
`;
const OK = { code: 0, end: '' };

describe('the closing line of npm test', () => {
  it.each([
    ['counts tests', { passed: 7, failed: 0, skipped: 0 }, OK, '7 passed, 0 failed', 0],
    ['counts skipped tests', { passed: 7, failed: 0, skipped: 2 }, OK, '7 passed, 0 failed, 2 skipped', 0],
    [
      'counts each failed check as one test',
      { passed: 7, failed: 3, skipped: 0 },
      { code: 1, end: FAILED },
      '7 passed, 5 failed',
      1,
    ],
    [
      'counts a failure of Nx itself as one test',
      { passed: 0, failed: 0, skipped: 0 },
      { code: 1, end: '' },
      '0 passed, 1 failed',
      1,
    ],
  ])('%s', (_, counts, nx, line, code) => {
    expect(summarize(counts, nx)).toEqual({ line, code });
  });
});
