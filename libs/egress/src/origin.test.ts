import { Socket } from 'node:net';
import type { Reader } from './connector.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { BadAnswer } from './faults.ts';
import { Origin } from './origin.ts';

const GREETING = Buffer.from('220 mail.example ESMTP\r\n');

/** One exchange with a peer over which this happens while it is connected, and how many connections were made for it. */
async function exchangeWith(
  connect: (reader: Reader) => Promise<Socket>,
): Promise<{ fault: Error | undefined; made: number }> {
  let made = 0;
  const origin = new Origin(new URL('http://127.0.0.1:9'), {
    connector: {
      connect: (_target, reader) => {
        made += 1;
        return connect(reader);
      },
    },
    connections: Infinity,
    answerBytes: Infinity,
    onDue: () => setImmediate(() => origin.turn(performance.now())),
    onGivenUp: () => {},
  });
  const { fault } = await new Promise<Outcome>((settle) => {
    const request = { origin: origin.url, method: 'POST', path: '/', headers: [] } as const;
    const limits = { maxBytes: 0, keptBytes: () => 0, timeLimit: 60_000 };
    origin.add(new Exchange({ ...request, ...limits }, { host: origin.host, settle }));
  });
  return { fault, made };
}

describe('a connection over which something comes before it was used', () => {
  it.each<[string, (reader: Reader) => void]>([
    ['before it is told of', (reader) => reader.read(GREETING, GREETING.length)],
    ['right after that', (reader) => setImmediate(() => reader.read(GREETING, GREETING.length))],
  ])('%s is none, ends, and is not made again', async (_when, greet) => {
    const socket = new Socket();
    const outcome = await exchangeWith(async (reader) => {
      greet(reader);
      return socket;
    });
    expect(outcome).toEqual({ fault: expect.any(BadAnswer), made: 1 });
    await Promise.resolve();
    expect(socket.destroyed).toBe(true);
  });

  it('that cannot be made is told of once', async () => {
    const fault = new Error('no route');
    expect(await exchangeWith(() => Promise.reject(fault))).toEqual({ fault, made: 1 });
  });
});
