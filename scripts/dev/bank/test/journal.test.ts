import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticateRequest } from '@kontoport/proto/bank/v1';
import { KEPT_MS, stillNeeded } from '../src/authentications.ts';
import { type Entry, Journal } from '../src/journal.ts';
import { Proofs } from '../src/proofs.ts';

const NOW = 1_800_000_000_000;
const taken = (id: string, at = NOW): Entry => ({ kind: 'taken', at, id });

describe('the journal of the example bank', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-journal-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const opened = async (path: string, now = NOW): Promise<Entry[]> => {
    const { journal, entries } = await Journal.open(path, (all) => stillNeeded(all, now));
    await journal.close();
    return entries;
  };

  it('returns its entries in order when the file is opened again', async () => {
    const path = join(folder, 'order');
    const { journal, entries } = await Journal.open(path, (all) => [...all]);
    expect(entries).toEqual([]);
    const ids = Array.from({ length: 20 }, (_, at) => String(at));
    await Promise.all(ids.map((id) => journal.append(taken(id))));
    await journal.close();
    expect((await opened(path)).map(({ id }) => id)).toEqual(ids);
  });

  it('ignores the half line of a process that died', async () => {
    const path = join(folder, 'torn');
    const { journal } = await Journal.open(path, (all) => [...all]);
    await journal.append(taken('whole'));
    await journal.close();
    appendFileSync(path, '{"kind":"taken","at":18000');
    expect(await opened(path)).toEqual([taken('whole')]);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
    expect(await opened(path)).toEqual([taken('whole')]);
  });

  it('includes a payment for 30 days', async () => {
    const path = join(folder, 'old');
    const { journal } = await Journal.open(path, (all) => [...all]);
    await journal.append(taken('old', NOW - KEPT_MS));
    await journal.append(taken('young', NOW - KEPT_MS + 1));
    await journal.close();
    expect((await opened(path)).map(({ id }) => id)).toEqual(['young']);
    expect(KEPT_MS).toBe(2_592_000_000);
  });

  const DAY_MS = 86_400_000;
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const order = (endDate: string) => ({
    standingOrder: { startDate: day(NOW), endDate, frequency: 'Weekly' },
  });

  it.each([
    ['a payment without day', {}, 'APPROVED', 0],
    ['a payment of a day to come', { executionDate: day(NOW + 300 * DAY_MS) }, 'APPROVED', 300],
    ['the same, declined', { executionDate: day(NOW + 300 * DAY_MS) }, 'DECLINED', 0],
    ['the same, never answered', { executionDate: day(NOW + 300 * DAY_MS) }, undefined, 0],
    ['a standing order with an end', order(day(NOW + 900 * DAY_MS)), 'APPROVED', 900],
    ['a standing order that was declined', order(''), 'DECLINED', 0],
  ] as const)(
    'is an approval with its answer, 30 days from the last day of %s',
    async (_, what, answer, last) => {
      const asked = Math.floor(NOW / DAY_MS) * DAY_MS;
      const request = AuthenticateRequest.toJSON(
        AuthenticateRequest.fromPartial({ authenticationId: 'a', payments: [{ paymentId: 'p', ...what }] }),
      );
      const entries: Entry[] = [
        { kind: 'asked', at: asked, id: 'a', request },
        // Later than the question: alone it would be the answer to nothing.
        ...(answer ? [{ kind: 'answered' as const, at: asked + 60_000, id: 'a', answer }] : []),
      ];
      const until = asked + last * DAY_MS + KEPT_MS;
      expect(stillNeeded(entries, until - 1)).toEqual(entries);
      expect(stillNeeded(entries, until)).toEqual([]);
    },
  );

  it('includes an approved standing order without end for ever', () => {
    const request = AuthenticateRequest.toJSON(
      AuthenticateRequest.fromPartial({
        authenticationId: 'a',
        payments: [{ paymentId: 'p', ...order('') }],
      }),
    );
    const entries: Entry[] = [
      { kind: 'asked', at: NOW, id: 'a', request },
      { kind: 'answered', at: NOW, id: 'a', answer: 'APPROVED' },
    ];
    expect(stillNeeded(entries, NOW + 50_000 * DAY_MS)).toEqual(entries);
  });
});

describe('a signed text of the bank', () => {
  const proofs = new Proofs(Buffer.alloc(32, 1));
  const text = proofs.make('login', { loginId: 'x' }, NOW);

  it('is valid for its purpose, until its end', () => {
    expect(proofs.read('login', text, NOW - 1)).toEqual({ loginId: 'x' });
    expect(proofs.read('login', text, NOW)).toBeUndefined();
    expect(proofs.read('code', text, NOW - 1)).toBeUndefined();
    expect(new Proofs(Buffer.alloc(32, 2)).read('login', text, NOW - 1)).toBeUndefined();
    expect(proofs.read('login', '', NOW - 1)).toBeUndefined();
  });
});
