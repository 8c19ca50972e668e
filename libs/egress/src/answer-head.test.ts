import { type AnswerHead, readAnswerHead, readFields } from './answer-head.ts';
import { BadAnswer } from './faults.ts';

const read = (...lines: string[]): AnswerHead => readAnswerHead(lines.map((line) => `${line}\r\n`).join(''));
const OK = 'HTTP/1.1 200 OK';
const SOME = 'content-length: 5';

describe('a status line (RFC 9112 §4)', () => {
  it.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.0 404 Not Found', 404],
    ['HTTP/1.1 100 Continue', 100],
    ['HTTP/1.1 999 \t\xff', 999],
    ['HTTP/1.1 200 ', 200],
    ['HTTP/1.1 200', 200],
  ])('%j has its status', (line, status) => {
    expect(read(line).status).toBe(status);
  });

  it.each([
    '',
    'HTTP/1.1',
    'HTTP/1.1 ',
    'HTTP/1.1 99 X',
    'HTTP/1.1 099 X',
    'HTTP/1.1 1000 X',
    'HTTP/1.1 2000',
    'HTTP/1.1 20x X',
    'HTTP/1.1 +20 X',
    'HTTP/1.1  200 X',
    'HTTP/1.1\t200 X',
    'HTTP/1.1 200X',
    'HTTP/1.1 200\tX',
    ' HTTP/1.1 200 X',
    'HTTP/1.2 200 X',
    'HTTP/1.10 200 X',
    'HTTP/0.9 200 X',
    'HTTP/2.0 200 X',
    'http/1.1 200 X',
    'ICY 200 OK',
  ])('%j is none', (line) => {
    expect(() => read(line)).toThrow(BadAnswer);
  });

  it('is there', () => {
    expect(() => readAnswerHead('')).toThrow(BadAnswer);
  });
});

describe('a header (RFC 9112 §5)', () => {
  it.each([
    ['without a colon', 'ab'],
    ['without a name', ': b'],
    ['with a space before the colon', 'a : b'],
    ['with a tab before the colon', 'a\t: b'],
    ['folded', ' b'],
    ['folded with a tab', '\tb: c'],
    ['with a parenthesis in its name', 'a(: b'],
    ['with more than ASCII in its name', 'a\xe6: b'],
    ['that is an empty line', ''],
  ])('%s is none, first, last or between others', (_what, line) => {
    for (const lines of [[line], [line, 'a: b'], ['a: b', line], ['a: b', line, 'c: d']])
      expect(() => read(OK, ...lines)).toThrow(BadAnswer);
  });

  it.each(["!#$%&'*+-.^_`|~09azAZ: x", 'a:', 'a::', 'a: b: c', 'a:b', 'a: "\xe6"'])('may be %j', (line) => {
    expect(read(OK, line, SOME)).toMatchObject({ status: 200, framing: 5 });
  });

  it('counts in whatever case, without the spaces and tabs around its value', () => {
    expect(read(OK, 'RETRY-After: \t 7 8\t ')).toMatchObject({ retryAfter: '7 8' });
    expect(read(OK, 'Content-Length:5')).toMatchObject({ framing: 5 });
    expect(read(OK, 'retry-after:')).toMatchObject({ retryAfter: '' });
    expect(read(OK)).toMatchObject({ retryAfter: undefined });
  });

  it('that stands there more than once is a list', () => {
    expect(read(OK, 'retry-after: 7', 'x: y', 'Retry-After: 8')).toMatchObject({ retryAfter: '7, 8' });
  });

  it('is read as a trailer, too', () => {
    expect(readFields('a: b\r\nc: d\r\n')).toEqual({});
    expect(() => readFields('a b\r\n')).toThrow(BadAnswer);
  });

  it.each([' ', '\t', ',', 'close ', 'x,'])('takes no longer for a run of %j', (text) => {
    const value = text.repeat(16_000 / text.length);
    const started = performance.now();
    for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'retry-after'])
      read(OK, `${name}: x${value}x`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('where a body ends (RFC 9112 §6.3)', () => {
  it.each([
    ['content-length: 0', 0],
    ['content-length: 007', 7],
    ['content-length: 999999999999999', 999_999_999_999_999],
    ['transfer-encoding: chunked', 'chunks'],
    ['Transfer-Encoding: Chunked', 'chunks'],
    ['transfer-encoding: gzip ,\tchunked', 'chunks'],
    ['transfer-encoding: chunked, gzip', 'connection'],
    ['transfer-encoding: chunked,', 'chunks'],
    ['transfer-encoding: , ,chunked', 'chunks'],
    ['transfer-encoding: xchunked', 'connection'],
    ['transfer-encoding: identity', 'connection'],
    ['transfer-encoding:', 'connection'],
    ['x: y', 'connection'],
  ])('%j: %j', (line, framing) => {
    expect(read(OK, line)).toMatchObject({ framing, isKept: framing !== 'connection' });
  });

  it('may stand in several lines', () => {
    const gzip = 'transfer-encoding: gzip';
    const chunked = 'transfer-encoding: chunked';
    expect(read(OK, gzip, chunked)).toMatchObject({ framing: 'chunks', isKept: true });
    expect(read(OK, chunked, gzip)).toMatchObject({ framing: 'connection', isKept: false });
  });

  it.each(['chunked, chunked', 'chunked,chunked, chunked', 'chunked, gzip, chunked'])(
    'is known of chunks that are announced twice, and what follows is doubtful: %j',
    (codings) => {
      const twice = { framing: 'chunks', isKept: false };
      expect(read(OK, `transfer-encoding: ${codings}`)).toMatchObject(twice);
      expect(read(OK, ...codings.split(',').map((one) => `transfer-encoding: ${one}`))).toMatchObject(twice);
    },
  );

  it.each([
    ['content-length:'],
    ['content-length: x'],
    ['content-length: +1'],
    ['content-length: -1'],
    ['content-length: 1 x'],
    ['content-length: 1.0'],
    ['content-length: 0x1'],
    ['content-length: 1,'],
    ['content-length: 1, 1'],
    ['content-length: 1000000000000000'],
    [SOME, SOME],
    [SOME, 'content-length: 6'],
    [SOME, 'transfer-encoding: chunked'],
    ['transfer-encoding: identity', SOME],
    ['transfer-encoding: chunked', 'content-length: 0'],
  ])('%j, %j: no answer', (...lines) => {
    expect(() => read(OK, ...lines.filter((line) => line !== undefined))).toThrow(BadAnswer);
    expect(() => read('HTTP/1.1 204 X', ...lines.filter((line) => line !== undefined))).toThrow(BadAnswer);
  });

  it.each([100, 199, 204, 304])(
    '%d has none, and what announces one makes the connection doubtful',
    (status) => {
      const line = `HTTP/1.1 ${status} X`;
      expect(read(line)).toMatchObject({ framing: 0, isKept: true });
      expect(read(line, 'content-length: 0')).toMatchObject({ framing: 0, isKept: true });
      expect(read(line, SOME)).toMatchObject({ framing: 0, isKept: false });
      expect(read(line, 'transfer-encoding: chunked')).toMatchObject({ framing: 0, isKept: false });
    },
  );

  it.each([200, 203, 205, 303, 305])('%d may have one', (status) => {
    expect(read(`HTTP/1.1 ${status} X`)).toMatchObject({ framing: 'connection', isKept: false });
  });
});

describe('whether a connection is kept (RFC 9112 §9.3)', () => {
  it.each([
    ['HTTP/1.1', undefined, true],
    ['HTTP/1.1', 'keep-alive', true],
    ['HTTP/1.1', 'upgrade', true],
    ['HTTP/1.1', 'closed, x-close', true],
    ['HTTP/1.1', 'close', false],
    ['HTTP/1.1', 'CLOSE', false],
    ['HTTP/1.1', 'keep-alive, close', false],
    ['HTTP/1.1', 'x\t,\tclose\t,y', false],
    ['HTTP/1.0', undefined, false],
    ['HTTP/1.0', 'x', false],
    ['HTTP/1.0', 'not-keep-alive', false],
    ['HTTP/1.0', 'x, Keep-Alive', true],
    ['HTTP/1.0', 'keep-alive, close', false],
  ])('%s with %j: %s', (version, connection, isKept) => {
    const lines = connection === undefined ? [] : [`connection: ${connection}`];
    expect(read(`${version} 200 OK`, SOME, ...lines).isKept).toBe(isKept);
  });

  it('is also said by one of several lines', () => {
    expect(read(OK, SOME, 'connection: keep-alive', 'connection: close').isKept).toBe(false);
  });

  it('ends after chunks in the version that has none', () => {
    const lines = ['connection: keep-alive', 'transfer-encoding: chunked'];
    expect(read('HTTP/1.0 200 OK', ...lines)).toMatchObject({ framing: 'chunks', isKept: false });
  });

  it.each([
    ['timeout=5', 5_000],
    ['TIMEOUT=0', 0],
    ['max=100, timeout=75', 75_000],
    ['timeout=7 , max=1', 7_000],
    ['timeout=999999999', 999_999_999_000],
    ['timeout=1234567890', undefined],
    ['timeout=-1', undefined],
    ['timeout=5s', undefined],
    ['xtimeout=5', undefined],
    ['5', undefined],
  ])('for how long is said by Keep-Alive: %j', (value, keptForMs) => {
    expect(read(OK, SOME, `keep-alive: ${value}`).keptForMs).toBe(keptForMs);
  });
});
