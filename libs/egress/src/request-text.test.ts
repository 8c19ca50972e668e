import { type HttpRequest, requestText } from './request-text.ts';

const REQUEST: HttpRequest = { method: 'POST', path: '/a?b', headers: ['a', 'b', 'C-d', '\t"\xe6"~ '] };
const sent = (change: Partial<HttpRequest>): string => requestText({ ...REQUEST, ...change }, 'x.example:81');

describe('a request (RFC 9112 §3)', () => {
  it('is a line, headers, the length of its body and the body, byte by byte', () => {
    const body = Uint8Array.from([0, 10, 13, 127, 128, 255]);
    const head =
      'POST /a?b HTTP/1.1\r\nhost: x.example:81\r\nconnection: keep-alive\r\na: b\r\nC-d: \t"\xe6"~ \r\n';
    expect(sent({ body })).toBe(`${head}content-length: 6\r\n\r\n\0\n\r\x7f\x80\xff`);
    expect(sent({ body: new Uint8Array(body.buffer, 1, 2) })).toBe(`${head}content-length: 2\r\n\r\n\n\r`);
  });

  it('tells the length of nothing, but where nothing is asked to be taken', () => {
    expect(sent({}).endsWith('\r\ncontent-length: 0\r\n\r\n')).toBe(true);
    const get = 'GET / HTTP/1.1\r\nhost: x.example:81\r\nconnection: keep-alive\r\n\r\n';
    expect(sent({ method: 'GET', path: '/', headers: [] })).toBe(get);
  });

  it.each(['', 'a', '/ ', '/a b', '/a\r\nx: y', '/\t', '/\x7f', '/æ', '*', 'http://x.example/'])(
    'is not made for the path %j',
    (path) => {
      expect(() => sent({ path })).toThrow('a path that cannot be sent');
    },
  );

  it.each([
    ['a', 'b\r\nc: d'],
    ['a', 'b\n'],
    ['a', '\r'],
    ['a', '\0'],
    ['a', '\x1f'],
    ['a', '\x7f'],
    ['a', 'ā'],
    ['a b', 'c'],
    ['a:', 'c'],
    ['', 'c'],
    ['a\r\n', 'c'],
  ])('is not made with the header %j of %j', (name, value) => {
    expect(() => sent({ headers: ['x', 'y', name, value] })).toThrow('a header that cannot be sent');
  });
});
