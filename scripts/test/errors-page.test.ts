import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERROR_CODES } from '@kontoport/errors';
import { errorsPage, renderErrors } from '../index/errors-page.ts';

describe('docs/errors.md, the page of all errors (§7)', () => {
  it('has each code with its cause, its cure and an example', () => {
    const sections = renderErrors().split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(Object.keys(ERROR_CODES));
    for (const [index, [code, { cause, cure, status }]] of Object.entries(ERROR_CODES).entries()) {
      const section = sections[index]!;
      for (const part of [cause.en, cure.en, `Status: ${status} `]) expect(section).toContain(part);
      const example = JSON.parse(/```json\n([^]*)```/.exec(section)![1]!) as unknown;
      expect(example).toMatchObject({ type: `/errors/${code}`, errorCode: code, status });
    }
  });

  it('is written when it is old, and in a check refused', () => {
    const root = mkdtempSync(join(tmpdir(), 'errors-'));
    mkdirSync(join(root, 'docs'));
    const old = ['docs/errors.md is old: npm run index'];
    expect(errorsPage(root, { check: true })).toEqual(old);
    expect(errorsPage(root, { check: false })).toEqual([]);
    expect(errorsPage(root, { check: true })).toEqual([]);
    const file = join(root, 'docs/errors.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('TOKEN_EXPIRED', 'TOKEN_OLD'));
    expect(errorsPage(root, { check: true })).toEqual(old);
    rmSync(root, { recursive: true });
  });
});
