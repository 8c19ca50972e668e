/**
 * A `describe` for tests that need something of the machine. Where it is missing the tests are counted as skipped and
 * say so; with `CI` set that is a failure.
 * @param need.missing what is missing and how to get it; undefined when it is there
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
