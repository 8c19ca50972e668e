import type { AnswerHead } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';
import { BadAnswer, EndlessAnswer } from './faults.ts';

/** What is read of parts that come one after the other, each in the same room as the last. */
function read(parts: readonly string[]): {
  status: number | undefined;
  body: string;
  isWhole: boolean;
  left: number;
} {
  let head: AnswerHead | undefined;
  let body = '';
  const reader = new AnswerReader({
    takeHead: (its) => (head = its),
    takeBody: (bytes) => (body += bytes.toString('latin1')),
  });
  const room = Buffer.alloc(100_000);
  let left = 0;
  for (const part of parts) {
    const reading = { bytes: room, length: room.write(part, 'latin1'), at: 0 };
    reader.read(reading);
    left = reading.length - reading.at;
    room.fill('!');
  }
  expect(reader.head).toBe(head);
  return { status: head?.status, body, isWhole: reader.isWhole, left };
}

const EARLY = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';

describe('an answer (RFC 9112 §6)', () => {
  it.each([
    ['without a body', 204, 'HTTP/1.1 204 X\r\n\r\n', ''],
    ['without a body that it could have', 200, 'HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n', ''],
    ['whose body is not sent', 304, 'HTTP/1.1 304 X\r\ncontent-length: 5\r\n\r\n', ''],
    ['with a body of known length', 500, 'HTTP/1.1 500 X\r\ncontent-length: 5\r\n\r\nab\r\nc', 'ab\r\nc'],
    ['in chunks', 200, 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n', 'a'],
    [
      'after interim ones',
      201,
      `${EARLY}HTTP/1.1 102 X\r\n\r\nHTTP/1.1 201 X\r\ncontent-length: 1\r\n\r\na`,
      'a',
    ],
    [
      'after interim ones that announce a body',
      204,
      'HTTP/1.1 199 X\r\ncontent-length: 3\r\n\r\nHTTP/1.1 204 X\r\n\r\n',
      '',
    ],
  ])('%s is whole wherever it is cut', (_what, status, all, body) => {
    const whole = { status, body, isWhole: true, left: 0 };
    for (let cut = 0; cut < all.length; cut += 1) {
      expect(read([all.slice(0, cut)]).isWhole).toBe(false);
      expect(read([all.slice(0, cut), all.slice(cut)])).toEqual(whole);
    }
    expect(read(all.split(''))).toEqual(whole);
    expect(read([`${all}HTTP`])).toEqual({ ...whole, left: 4 });
  });

  it.each(['', 'transfer-encoding: gzip\r\n'])('that the connection ends is never whole: %j', (header) => {
    const parts = [`HTTP/1.1 200 X\r\n${header}\r\n`, 'a', 'bc'];
    expect(read(parts)).toEqual({ status: 200, body: 'abc', isWhole: false, left: 0 });
  });

  it('may come after twenty interim ones, and not after more', () => {
    expect(read([`${EARLY.repeat(20)}HTTP/1.1 204 X\r\n\r\n`])).toMatchObject({ status: 204, isWhole: true });
    expect(() => read([EARLY.repeat(21)])).toThrow(EndlessAnswer);
    expect(() => read(EARLY.repeat(21).split(''))).toThrow(EndlessAnswer);
  });

  it('may come after the word to go on, as some servers say it to every POST', () => {
    const parts = ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 X\r\n\r\n'];
    expect(read(parts)).toMatchObject({ status: 204, isWhole: true, left: 0 });
  });

  it('is no other protocol, for which nobody asked', () => {
    const text = 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
    expect(() => read([text])).toThrow(BadAnswer);
    expect(() => read([EARLY, text])).toThrow(BadAnswer);
  });

  it.each(['SSH-2.0-none', '\r\nHTTP/1.1 204 X\r\n\r\n', '<html>', '\x16\x03\x01'])('is not %j', (text) => {
    expect(() => read([text])).toThrow(BadAnswer);
  });

  it('hands on what its sink throws', () => {
    const reader = new AnswerReader({
      takeHead() {},
      takeBody() {
        throw new Error('enough');
      },
    });
    const bytes = Buffer.from('HTTP/1.1 200 X\r\ncontent-length: 1\r\n\r\na');
    expect(() => reader.read({ bytes, length: bytes.length, at: 0 })).toThrow('enough');
  });
});
