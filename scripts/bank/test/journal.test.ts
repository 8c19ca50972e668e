import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, Journal, KEPT_MS } from '../src/journal.ts';
import { Proofs } from '../src/proofs.ts';

const NOW = 1_800_000_000_000;
const taken = (id: string, at = NOW): Entry => ({ kind: 'taken', at, id });

describe('what the reference connector must not forget', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-journal-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const opened = async (path: string, now = NOW): Promise<Entry[]> => {
    const { journal, entries } = await Journal.open(path, now);
    await journal.close();
    return entries;
  };

  it('is there again, in its order, when the file is opened again', async () => {
    const path = join(folder, 'order');
    const { journal, entries } = await Journal.open(path, NOW);
    expect(entries).toEqual([]);
    const ids = Array.from({ length: 20 }, (_, at) => String(at));
    await Promise.all(ids.map((id) => journal.append(taken(id))));
    await journal.close();
    expect((await opened(path)).map(({ id }) => id)).toEqual(ids);
  });

  it('is what was written as a whole: half a line of a process that died is none', async () => {
    const path = join(folder, 'torn');
    const { journal } = await Journal.open(path, NOW);
    await journal.append(taken('whole'));
    await journal.close();
    appendFileSync(path, '{"kind":"taken","at":18000');
    expect(await opened(path)).toEqual([taken('whole')]);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
    expect(await opened(path)).toEqual([taken('whole')]);
  });

  it('is 30 days, to the millisecond', async () => {
    const path = join(folder, 'old');
    const { journal } = await Journal.open(path, NOW);
    await journal.append(taken('old', NOW - KEPT_MS));
    await journal.append(taken('young', NOW - KEPT_MS + 1));
    await journal.close();
    expect((await opened(path)).map(({ id }) => id)).toEqual(['young']);
    expect(KEPT_MS).toBe(2_592_000_000);
  });
});

describe('a text that only the bank can have made', () => {
  const proofs = new Proofs(Buffer.alloc(32, 1));
  const text = proofs.make('login', { loginId: 'x' }, NOW);

  it('is good for its purpose, until its time', () => {
    expect(proofs.read('login', text, NOW - 1)).toEqual({ loginId: 'x' });
    expect(proofs.read('login', text, NOW)).toBeUndefined();
    expect(proofs.read('code', text, NOW - 1)).toBeUndefined();
    expect(new Proofs(Buffer.alloc(32, 2)).read('login', text, NOW - 1)).toBeUndefined();
    expect(proofs.read('login', '', NOW - 1)).toBeUndefined();
  });
});
