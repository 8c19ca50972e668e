import { BadAnswer, EndlessAnswer, HeadTooLong } from './faults.ts';
import { Lines, MOST_HEAD_BYTES } from './lines.ts';

const BEGIN = Buffer.from('HTTP/1.');
const HEAD = 'HTTP/1.1 200 OK\r\na: b\tc\r\n';

/** What is gathered of parts that come one after the other, and how much of the last one is left. */
function gather(
  parts: readonly string[],
  lines = new Lines(BEGIN),
): [text: string | undefined, left: number] {
  let text: string | undefined;
  let left = 0;
  for (const part of parts) {
    const bytes = Buffer.from(part, 'latin1');
    const reading = { bytes, length: bytes.length, at: 0 };
    text = lines.take(reading);
    left = reading.length - reading.at;
  }
  return [text, left];
}

describe('lines up to an empty one (RFC 9112 §2.1)', () => {
  it('are whole wherever they are cut', () => {
    const all = `${HEAD}\r\n`;
    for (let cut = 0; cut <= all.length; cut += 1)
      expect(gather([all.slice(0, cut), ...(cut === all.length ? [] : [all.slice(cut)])])).toEqual([HEAD, 0]);
    expect(gather(all.split(''))).toEqual([HEAD, 0]);
  });

  it('leave what follows, and can be followed by others', () => {
    const lines = new Lines(BEGIN);
    expect(gather([`${HEAD}\r\nHTTP`], lines)).toEqual([HEAD, 4]);
    expect(gather(['HTTP/1.0 204 X\r', '\n\r\nrest'], lines)).toEqual(['HTTP/1.0 204 X\r\n', 4]);
    expect(gather(['\r\n'], new Lines())).toEqual(['', 0]);
  });

  it('have no more than the bytes of their part', () => {
    const bytes = Buffer.from(`${HEAD}\r\n`);
    expect(new Lines(BEGIN).take({ bytes, length: bytes.length - 1, at: 0 })).toBeUndefined();
  });

  it.each([0, 1, 5, 6])('are refused at once when they begin otherwise, in character %d', (at) => {
    const begin = `${HEAD.slice(0, at)}x`;
    expect(() => gather([begin])).toThrow(BadAnswer);
    expect(() => gather(begin.split(''))).toThrow(BadAnswer);
  });

  it.each([
    ['a LF without CR', 'HTTP/1.1 200 OK\n'],
    ['a CR without LF', 'HTTP/1.1 200 OK\rx'],
    ['two CR', 'HTTP/1.1 200 OK\r\r\n'],
    ['a CR without LF behind lines', `${HEAD}\rx`],
    ['a zero', 'HTTP/1.1 200 OK\0'],
    ['a control character', 'HTTP/1.1 200 OK\x1f'],
    ['the last one', 'HTTP/1.1 200 OK\x7f'],
  ])('are refused at once when they hold %s', (_what, text) => {
    expect(() => gather([text])).toThrow(BadAnswer);
    expect(() => gather(text.split(''))).toThrow(BadAnswer);
  });

  it('may hold tabs and whatever is no ASCII', () => {
    expect(gather(['HTTP/1.1 200\t \x80\xff~\r\n\r\n'])[0]).toBe('HTTP/1.1 200\t \x80\xff~\r\n');
  });

  const padded = (bytes: number): string => `${`${HEAD}x: `.padEnd(bytes - 4, 'x')}\r\n\r\n`;
  it.each([1, 2, 1_000, MOST_HEAD_BYTES - 1, MOST_HEAD_BYTES])(
    'are 16 KB at most, with their ends, cut at %d',
    (cut) => {
      const parts = (text: string): string[] => [text.slice(0, cut), text.slice(cut)];
      const most = padded(16 * 1024);
      expect(most).toHaveLength(MOST_HEAD_BYTES);
      expect(gather(cut < MOST_HEAD_BYTES ? parts(most) : [most])[0]).toHaveLength(MOST_HEAD_BYTES - 2);
      expect(() => gather(parts(padded(MOST_HEAD_BYTES + 1)))).toThrow(HeadTooLong);
    },
  );

  it('are given up as endless where it is the first that does not end', () => {
    expect(() => gather(['HTTP/1.1 200 '.padEnd(20_000, 'x')])).toThrow(EndlessAnswer);
    const lines = new Lines(BEGIN);
    gather([`${HEAD}\r\n`], lines);
    expect(() => gather(['HTTP/1.1 200 '.padEnd(20_000, 'x')], lines)).toThrow(EndlessAnswer);
  });
});
