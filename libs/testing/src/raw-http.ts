import { connect } from 'node:net';

/** Writes bytes as they are, and reads until the server ends the connection. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  // A connection that is cut is the end of the answer, too.
  socket.on('error', () => {});
  socket.write(bytes);
  await closed;
  return received;
}

/** Status and JSON body of a raw answer. */
export function readRaw(answer: string): { status: number; head: string; json: Record<string, unknown> } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    head,
    json: JSON.parse(body) as Record<string, unknown>,
  };
}

/** A GET with exactly these header lines. */
export function rawGet(path: string, lines: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}
