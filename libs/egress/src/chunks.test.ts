import { Chunks } from './chunks.ts';
import { BadAnswer, HeadTooLong } from './faults.ts';

/** What is read of parts that come one after the other. */
function read(parts: readonly string[]): { body: string; isWhole: boolean; left: number } {
  const chunks = new Chunks();
  let [body, left] = ['', 0];
  for (const part of parts) {
    const bytes = Buffer.from(part, 'latin1');
    const reading = { bytes, length: bytes.length, at: 0 };
    chunks.read(reading, { takeBody: (data) => (body += data.toString('latin1')) });
    left = reading.length - reading.at;
  }
  return { body, isWhole: chunks.isWhole, left };
}

describe('a body in chunks (RFC 9112 §7.1)', () => {
  it.each([
    ['nothing', '0\r\n\r\n', ''],
    ['one', '5\r\nab\r\nc\r\n0\r\n\r\n', 'ab\r\nc'],
    ['several', '1\r\na\r\n2\r\nbc\r\n1\r\nd\r\n0\r\n\r\n', 'abcd'],
    ['digits of both cases', 'a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n', '01234567890123456789'],
    ['two digits', '1f\r\n'.concat('x'.repeat(31), '\r\n00\r\n\r\n'), 'x'.repeat(31)],
    ['zeros in front', '000000000001\r\na\r\n000000000000\r\n\r\n', 'a'],
    ['extensions', '1;a=b;c="d \t;\xe6"\r\nx\r\n0;\r\n\r\n', 'x'],
    ['trailers', '1\r\nx\r\n0\r\na: b\r\nc: d\r\n\r\n', 'x'],
  ])('with %s is whole wherever it is cut', (_what, all, body) => {
    const whole = { body, isWhole: true, left: 0 };
    for (let cut = 0; cut < all.length; cut += 1) {
      expect(read([all.slice(0, cut)]).isWhole).toBe(false);
      expect(read([all.slice(0, cut), all.slice(cut)])).toEqual(whole);
    }
    expect(read(all.split(''))).toEqual(whole);
    expect(read([`${all}rest`])).toEqual({ ...whole, left: 4 });
  });

  it.each([
    ['no length', '\r\n'],
    ['an extension without a length', ';a\r\n'],
    ['no number', 'g\r\n'],
    ['a character before the digits', '/\r\n'],
    ['a character behind the digits', ':\r\n'],
    ['a character before the letters', '`\r\n'],
    ['a sign', '+1\r\n'],
    ['a prefix', '0x1\r\n'],
    ['a space before the length', ' 1\r\n'],
    ['a space behind the length', '1 \r\n'],
    ['a space before an extension', '1 ;a\r\n'],
    ['a length of 13 digits', '0000000000001\r\n'],
    ['LF alone behind the length', '1\nx\r\n'],
    ['CR alone behind the length', '1\rx'],
    ['LF alone behind an extension', '1;a\nx\r\n'],
    ['CR alone behind an extension', '1;a\rx'],
    ['a control character in an extension', '1;\0\r\n'],
    ['more than its length', '1\r\nxy\r\n'],
    ['LF alone behind it', '1\r\nx\n'],
    ['CR alone behind it', '1\r\nx\rx'],
    ['a trailer that is no header', '0\r\na b\r\n\r\n'],
    ['a trailer that is folded', '0\r\na: b\r\n c\r\n\r\n'],
    ['a trailer with LF alone', '0\r\na: b\n'],
  ])('with %s is refused', (_what, text) => {
    expect(() => read([text])).toThrow(BadAnswer);
    expect(() => read(text.split(''))).toThrow(BadAnswer);
  });

  it('has trailers of 16 KB at most', () => {
    const trailers = (bytes: number): string => `0\r\n${'a: b\r\nx: '.padEnd(bytes - 4, 'x')}\r\n\r\n`;
    expect(read([trailers(16 * 1024)]).isWhole).toBe(true);
    expect(() => read([trailers(16 * 1024 + 1)])).toThrow(HeadTooLong);
  });
});
