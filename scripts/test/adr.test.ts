import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../docs/adr');
const files = readdirSync(folder);

describe('the decisions of docs/adr', () => {
  it('have a number each', () => {
    const numbers = files.map((file) => file.slice(0, 4));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });

  it.each(files)('%s says its number in the title', (file) => {
    expect(file).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(
      new RegExp(`^# ${Number(file.slice(0, 4))}\\. `),
    );
  });
});
