import { randomUUID } from 'node:crypto';
import { cursorOf, readCursor } from './list-cursor.ts';

const position = (at = new Date()) => ({ at, id: randomUUID() });

describe('the cursor of a list (§4.5, §4.6)', () => {
  it.each(['1970-01-01T00:00:00.000Z', '2026-11-22T12:00:00.123Z', '9999-12-31T23:59:59.999Z'])(
    'leads back to %s',
    (time) => {
      const there = position(new Date(time));
      expect(readCursor(cursorOf(there))).toEqual(there);
    },
  );

  it.each([
    ['empty', ''],
    ['no base64url', '=============================!!!'],
    ['cut', cursorOf(position()).slice(1)],
    ['longer', `${cursorOf(position())}AAAA`],
    ['written in another way', `${cursorOf(position())}=`],
    ['before all time', cursorOf(position(new Date(-1)))],
    ['after all time', cursorOf(position(new Date('+010000-01-01T00:00:00Z')))],
  ])('rejects %s', (_what, cursor) => {
    expect(() => readCursor(cursor)).toThrow(
      expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 }),
    );
  });
});
