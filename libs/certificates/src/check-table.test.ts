import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS, checkTableAsMarkdown } from './check-table.ts';

/** The formatter pads the columns. */
const unpadded = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/ ?-{3,} ?/g, '---');

describe('the table of checks', () => {
  it('stands in the README as the code says it', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(unpadded(readme)).toContain(unpadded(checkTableAsMarkdown()));
  });

  it('tells for each check what must hold, where that stands, and what to do', () => {
    for (const { what, clause, cure } of Object.values(CHECKS))
      expect([what, clause, cure]).toEqual([
        expect.stringMatching(/\.$/),
        expect.stringMatching(/§|TS 119 312|Kontoport limit/),
        expect.stringMatching(/\.$/),
      ]);
  });
});
