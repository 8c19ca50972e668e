import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The answer for a name; `silent`: no answer; `own alias`: an alias of itself without address. */
export type Zone = Record<string, { a?: string; aaaa?: Buffer } | 'silent' | 'own alias'>;

const TYPE = { a: 1, alias: 5, aaaa: 28 };
/** A pointer to the name in the question. */
const ASKED_NAME = 0xc00c;
const NAME_ERROR = 3;

/** A name server on loopback that counts queries. */
export async function startNameServer(zone: Zone) {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    questions.push(name);
    const entry = zone[name];
    if (entry === 'silent') return;
    if (entry === 'own alias') {
      const data = Buffer.alloc(2);
      data.writeUInt16BE(ASKED_NAME);
      const alias = { type: TYPE.alias, data, known: true };
      socket.send(answer(query.subarray(0, end), alias), port, address);
      return;
    }
    const data =
      type === TYPE.a && entry?.a
        ? Buffer.from(entry.a.split('.').map(Number))
        : type === TYPE.aaaa
          ? entry?.aaaa
          : undefined;
    socket.send(answer(query.subarray(0, end), { type, data, known: entry !== undefined }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** Counts the queries for the name, of any type. */
    asked: (name: string): number => questions.filter((question) => question === name).length,
    close: () => socket.close(),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(
  query: Buffer,
  { type, data, known }: { type: number; data: Buffer | undefined; known: boolean },
): Buffer {
  const head = Buffer.from(query);
  head.writeUInt16BE(0x8180 | (known ? 0 : NAME_ERROR), 2);
  head.writeUInt16BE(data ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!data) return head;
  const record = Buffer.alloc(12);
  record.writeUInt16BE(ASKED_NAME, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(1, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, record, data]);
}
