import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Socket } from 'node:net';

/** Removes and returns the attempts that the guard saw, so that its own check after the test finds none. */
function takeAttempts(): string[] {
  return (Socket.prototype as unknown as { kontoportAttempts: string[] }).kontoportAttempts.splice(0);
}

describe('the network guard', () => {
  it.each(['192.0.2.1', 'example.com', '2001:db8::1'])(
    'refuses %s and remembers it for the test',
    async (host) => {
      const [error] = (await once(connect({ host, port: 443 }), 'error')) as [Error];
      expect(error.message).toBe(`a test may not reach ${host}`);
      expect(takeAttempts()).toEqual([host]);
    },
  );

  it('refuses connections of fetch and custom look-ups', async () => {
    await expect(fetch('http://192.0.2.1/')).rejects.toThrow('fetch failed');
    const socket = connect({
      host: 'somewhere.test',
      port: 80,
      lookup: (_host, _options, found) => found(null, [{ address: '192.0.2.7', family: 4 }]),
    });
    await once(socket, 'error');
    expect(takeAttempts()).toEqual(['192.0.2.1', '192.0.2.7']);
  });

  it('allows the loopback address, by number and by name', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    for (const socket of [connect(port), connect(port, '127.0.0.1'), connect({ host: 'localhost', port })]) {
      const [text] = (await once(socket, 'data')) as [Buffer];
      expect(text.toString()).toBe('hello');
    }
    server.close();
    expect(takeAttempts()).toEqual([]);
  });
});
