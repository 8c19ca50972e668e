import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../docs/adr');
const FILES = readdirSync(FOLDER).filter((file) => file !== 'README.md');
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

const HEAD =
  /^---\nstatus: (?:proposed|accepted|deprecated|superseded by ADR-\d{4})\ndate: \d{4}-\d\d-\d\d\n---\n\n# (\d+)\. (.+)\n/;

/** The file name of a decision: its number and its title. */
function fileNameOf(number: string, title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${number.padStart(4, '0')}-${slug}.md`;
}

describe('the decisions of docs/adr', () => {
  it('are numbered from 1 without gaps', () => {
    expect(FILES.map((file) => Number(file.slice(0, 4)))).toEqual(FILES.map((_, index) => index + 1));
  });

  it('are at most 45', () => {
    expect(FILES.length).toBeLessThanOrEqual(45);
  });

  it.each(FILES)('%s has a status, a date, and a title that names the file', (file) => {
    const head = HEAD.exec(readFileSync(join(FOLDER, file), 'utf8'));
    expect(head && fileNameOf(head[1]!, head[2]!)).toBe(file);
  });

  it.each(FILES)('%s has context, decision and consequences', (file) => {
    const sections = [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^## (.+)$/gm)].map(
      ([, section]) => section,
    );
    expect(sections.slice(0, 2)).toEqual(['Context', 'Decision']);
    expect(sections).toContain('Consequences');
  });

  it.each(FILES)('%s is in the list of the README', (file) => {
    expect(README).toContain(`](${file})`);
  });
});
