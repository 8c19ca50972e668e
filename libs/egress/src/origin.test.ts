import { Socket } from 'node:net';
import type { Reader, Target } from './connector.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { BadAnswer } from './faults.ts';
import { Origin } from './origin.ts';

const GREETING = Buffer.from('220 mail.example ESMTP\r\n');

/** One exchange with a peer over which this happens while it is connected, and how many connections were made for it. */
async function exchangeWith(
  connect: (target: Target, reader: Reader) => Promise<Socket>,
  url = 'http://127.0.0.1:9',
): Promise<{ fault: Error | undefined; made: number }> {
  let made = 0;
  const origin = new Origin(new URL(url), {
    connector: {
      connect: (target, reader) => {
        made += 1;
        return connect(target, reader);
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

describe('a connection that is made', () => {
  it.each([
    ['http://127.0.0.1', false, 80],
    ['https://127.0.0.1', true, 443],
    ['https://127.0.0.1:8443', true, 8443],
    ['https://127.0.0.1:0', true, 0],
  ])('for %s leads there', async (url, isTls, port) => {
    const target = Promise.withResolvers<Target>();
    const connect = (given: Target) => {
      target.resolve(given);
      return Promise.reject(new Error('no route'));
    };
    await exchangeWith(connect, url);
    expect(await target.promise).toEqual({ isTls, hostname: '127.0.0.1', port });
  });
});

describe('a connection over which something comes before it was used', () => {
  it.each<[string, (reader: Reader) => void]>([
    ['before it is told of', (reader) => reader.read(GREETING, GREETING.length)],
    ['right after that', (reader) => setImmediate(() => reader.read(GREETING, GREETING.length))],
  ])('%s is none, ends, and is not made again', async (_when, greet) => {
    const socket = new Socket();
    const outcome = await exchangeWith(async (_target, reader) => {
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
