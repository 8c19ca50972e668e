import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckId, CHECKS, checkTableAsMarkdown, cureOf } from './check-table.ts';
import { CertificateStore } from './path/certificate-store.ts';
import { verdict } from './verdict.ts';

/** The formatter pads the columns. */
const unpadded = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/ ?-{3,} ?/g, '---');

describe('the table of checks', () => {
  it('stands in the README as the code says it', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(unpadded(readme)).toContain(unpadded(checkTableAsMarkdown()));
  });

  it('tells for each check what must hold, where that stands, and what to do', () => {
    for (const [check, { what, clause }] of Object.entries(CHECKS))
      expect([what, clause, cureOf(check as CheckId).in('en')]).toEqual([
        expect.stringMatching(/\.$/),
        expect.stringMatching(/§|TS 119 312|Kontoport limit/),
        expect.stringMatching(/\.$/),
      ]);
  });

  it('says what failed, what was found and what to do', () => {
    const { failure } = verdict([], { anchors: new CertificateStore([]), at: new Date(0) });
    expect(failure?.message).toBe(
      'encoding: no certificate. Send the certificate unchanged, as the issuer delivered it. (RFC 5280 §4.1; X.690 §10, §11)',
    );
  });
});
