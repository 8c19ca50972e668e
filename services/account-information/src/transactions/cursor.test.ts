import { randomBytes, randomUUID } from 'node:crypto';
import { createCursors, type PageSequence } from './cursor.ts';

const key = randomBytes(32);
const cursors = createCursors([key]);
const position = { postingTime: '2026-03-01T08:30:15.123Z', id: randomUUID() };
const sequence: PageSequence = {
  clientId: randomUUID(),
  accountId: randomUUID(),
  limit: 100,
  from: undefined,
  to: '2026-04-01T12:00:00.000Z',
};
const refused = expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 });

describe('the cursor of the V2 list (§4.3)', () => {
  it('is refused after any change of a character, cut or longer', () => {
    const cursor = cursors.issue(position, sequence);
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(() => cursors.read(changed, sequence)).toThrow(refused);
      expect(() => cursors.read(cursor.slice(0, at), sequence)).toThrow(refused);
    }
    for (const more of [`${cursor}A`, `${cursor}=`, `${cursor} `, ` ${cursor}`])
      expect(() => cursors.read(more, sequence)).toThrow(refused);
  });

  it('is signed with the first of several keys, and valid under each of them', () => {
    const [older, newer] = [createCursors([key, randomBytes(32)]), createCursors([randomBytes(32), key])];
    expect(cursors.read(older.issue(position, sequence), sequence)).toEqual(position);
    expect(newer.read(cursors.issue(position, sequence), sequence)).toEqual(position);
    expect(() => cursors.read(newer.issue(position, sequence), sequence)).toThrow(refused);
  });
});
