/**
 * A `describe` for tests with a requirement on the machine. Without it the tests are skipped with the reason; with `CI`
 * set they fail.
 * @param need.missing the missing part and how to get it; undefined if it is there
 */
export function describeWith(name: string, need: { missing: string | undefined }, tests: () => void): void {
  const { missing } = need;
  if (missing === undefined) return describe(name, tests);
  if (process.env.CI)
    return describe(name, () => {
      it('has in CI what it needs', () => {
        throw new Error(missing);
      });
    });
  process.stderr.write(`skipped: ${name}: ${missing}\n`);
  describe.skip(name, tests);
}
