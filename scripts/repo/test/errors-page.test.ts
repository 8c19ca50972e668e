import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERROR_CODES, LANGUAGES } from '@kontoport/errors';
import { errorsFile, errorsPages, renderErrors } from '../pages/errors-page.ts';

describe('docs/errors.md, the page of all errors (§7)', () => {
  it.each(LANGUAGES)(
    'has in %s each code with its statuses, its cause, its cure and an example',
    (language) => {
      const sections = renderErrors(language).split(/^## /m).slice(1);
      expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(Object.keys(ERROR_CODES));
      for (const [index, [code, { cause, cure, status }]] of Object.entries(ERROR_CODES).entries()) {
        const section = sections[index]!;
        for (const part of [cause[language], cure[language], `\n${status} `]) expect(section).toContain(part);
        const example = JSON.parse(/```json\n([^]*)```/.exec(section)![1]!) as unknown;
        const message = cause[language];
        expect(example).toMatchObject({ type: `/errors/${code}`, errorCode: code, status, message });
      }
    },
  );

  it.each(LANGUAGES)('leads from %s to the other languages and to the contract', (language) => {
    const links = [...renderErrors(language).matchAll(/\]\(([^)#]+)/g)].map(([, path]) =>
      join(errorsFile(language), '..', path!),
    );
    const others = LANGUAGES.filter((other) => other !== language).map(errorsFile);
    expect(links).toEqual([...others, 'docs/contract.md']);
  });

  it('is written when it is old, and in a check refused', () => {
    const root = mkdtempSync(join(tmpdir(), 'errors-'));
    mkdirSync(join(root, 'docs'));
    const old = (file: string): string => `${file} is old: npm run index`;
    expect(errorsPages(root, { check: true })).toEqual(LANGUAGES.map(errorsFile).map(old));
    expect(errorsPages(root, { check: false })).toEqual([]);
    expect(errorsPages(root, { check: true })).toEqual([]);
    const file = join(root, 'docs/errors/sv.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('TOKEN_EXPIRED', 'TOKEN_OLD'));
    expect(errorsPages(root, { check: true })).toEqual([old('docs/errors/sv.md')]);
    rmSync(root, { recursive: true });
  });
});
