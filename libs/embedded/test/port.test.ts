import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { jest } from '@jest/globals';
import { freePorts, isFree } from '@kontoport/embedded/port';

const listening = (port: number) =>
  new Promise<{ close(): Promise<void> }>((resolve, reject) => {
    const server = createServer((socket) => socket.on('error', () => {}));
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });

describe('free ports', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are given once by a process, also unbound and in concurrent calls', async () => {
    // Every call would begin at the same port.
    jest.spyOn(Math, 'random').mockReturnValue(0.25);
    const given = [await freePorts(20), ...(await Promise.all([freePorts(20), freePorts(20)]))].flat();
    expect(new Set(given).size).toBe(60);
    for (const port of given) expect(port).toBeLessThanOrEqual(31_999);
  });

  it('never run out, because old ones are given again', async () => {
    let given = 0;
    // There are 12,000 in all.
    while (given < 13_000) given += (await freePorts(500)).length;
    expect(given).toBe(13_000);
  });

  it('exclude ports in use', async () => {
    const [port] = await freePorts(1);
    const server = await listening(port!);
    expect(await isFree(port!)).toBe(false);
    await server.close();
    expect(await isFree(port!)).toBe(true);
  });

  it('are found while a client connects to the probed port', async () => {
    const [port] = await freePorts(1);
    const close = Object.getOwnPropertyDescriptor(Server.prototype, 'close')!.value as Server['close'];
    for (const breaksOff of [false, true]) {
      const called = jest.spyOn(Server.prototype, 'close').mockImplementationOnce(function (
        this: Server,
        done,
      ) {
        const caller = connect(port!, '127.0.0.1').on('error', () => {});
        void Promise.all([once(caller, 'connect'), once(this, 'connection')]).then(() => {
          if (breaksOff) caller.resetAndDestroy();
          close.call(this, done);
        });
        return this;
      });
      expect(await isFree(port!)).toBe(true);
      expect(called).toHaveBeenCalled();
    }
  });
});
