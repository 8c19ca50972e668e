import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveBroker } from '../src/broker/serve.ts';

type Broker = Awaited<ReturnType<typeof serveBroker>>;

let folder: string;
let broker: Broker;
const open: Socket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-broker-'));
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await broker.close();
  rmSync(folder, { recursive: true, force: true });
});

const serve = async (limits: Parameters<typeof serveBroker>[0]['limits']): Promise<void> => {
  broker = await serveBroker({ folder, port: 0, topics: [], ...(limits === undefined ? {} : { limits }) });
};

interface Caller {
  socket: Socket;
  /** Asks for the versions. */
  ask(): Promise<'answered' | 'hung up'>;
  gone: Promise<unknown>;
}

async function dial(): Promise<Caller> {
  const socket = connect(broker.port, '127.0.0.1');
  open.push(socket);
  socket.on('error', () => {});
  const gone = once(socket, 'close');
  await once(socket, 'connect');
  return {
    socket,
    gone,
    async ask() {
      const request = Buffer.alloc(14);
      request.writeInt32BE(10, 0);
      request.writeInt16BE(18, 4);
      request.writeInt16BE(-1, 12);
      const outcome = Promise.race([
        once(socket, 'data').then(() => 'answered' as const),
        gone.then(() => 'hung up' as const),
      ]);
      socket.write(request);
      return outcome;
    },
  };
}

describe('connections to the local broker that say nothing', () => {
  it('are closed when no whole request has come in time, however many bytes have', async () => {
    await serve({ firstRequestMs: 300 });
    const speaking = await dial();
    await speaking.ask();
    const silent = await dial();
    const dribbling = await dial();
    dribbling.socket.write(Buffer.from([0, 0, 0, 10, 0]));
    await Promise.all([silent.gone, dribbling.gone]);
    expect(await speaking.ask()).toBe('answered');
  });

  it('are closed when nothing has come for long after an answer', async () => {
    await serve({ firstRequestMs: 100, idleMs: 400 });
    const caller = await dial();
    await caller.ask();
    const answered = performance.now();
    await caller.gone;
    expect(performance.now() - answered).toBeGreaterThanOrEqual(395);
  });

  it('give way to a new one when there is no more room, the longest silence first', async () => {
    await serve({ connections: 3 });
    const early = await dial();
    const silent = await dial();
    const late = await dial();
    // It came first, and has spoken last.
    await early.ask();
    await (await dial()).ask();
    await silent.gone;
    expect(await Promise.all([early.ask(), late.ask()])).toEqual(['answered', 'answered']);
  });

  it('keep nobody out, though they are more than a thousand', async () => {
    await serve({});
    const caller = await dial();
    for (let at = 0; at < 1_100; at += 100) {
      await Promise.all(Array.from({ length: 100 }, dial));
      expect(await caller.ask()).toBe('answered');
    }
    expect(await (await dial()).ask()).toBe('answered');
  });
});
