/** What is asked for at a host. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  /** With the query. */
  path: string;
  /** Names and values in turn; `host`, `connection` and what tells the length of the body come by themselves. */
  headers: readonly string[];
  body?: Uint8Array | undefined;
}

const NOTHING = new Uint8Array(0);
const PATH = /^\/[\x21-\x7e]*$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * A request as it is sent, a character a byte (RFC 9112 §3).
 * @param host as the header `host` has it
 * @throws where a path or a header could be taken for more than it is
 */
export function requestText(request: HttpRequest, host: string): string {
  const { method, path, headers, body } = request;
  if (!PATH.test(path)) throw new TypeError('a path that cannot be sent');
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('a header that cannot be sent');
    text += `${name}: ${value}\r\n`;
  }
  if (body === undefined && method === 'GET') return `${text}\r\n`;
  const { buffer, byteOffset, length } = body ?? NOTHING;
  return `${text}content-length: ${length}\r\n\r\n${Buffer.from(buffer, byteOffset, length).toString('latin1')}`;
}
