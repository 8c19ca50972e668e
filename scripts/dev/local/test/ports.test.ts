import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { assignPorts } from '../src/ports.ts';
import { SERVICES } from '../src/services.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

/** Listens as another program. @returns undefined when the port is taken */
async function listen(port = 0): Promise<number | undefined> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

const ANY = { base: 0, registration: 0, auth: 0, user: 0 };

describe('the ports of npm start', () => {
  it('differ for every listener, also when all are 0', async () => {
    const { services, addresses, bank } = await assignPorts(ANY);
    const all = [
      ...SERVICES.flatMap((name) => Object.values(services[name])),
      ...Object.values(addresses),
      ...Object.values(bank),
    ];
    expect(new Set(all).size).toBe(4 * SERVICES.length + 4 + 3);
    expect(all.filter((port) => !(port > 0))).toEqual([]);
  });

  it('that are taken appear in one error, each with an option and a variable', async () => {
    const [first, second] = [(await listen())!, (await listen())!];
    await expect(assignPorts({ ...ANY, registration: first, user: second })).rejects.toThrow(
      `the ports ${first} (registration), ${second} (user) are taken by another program. Choose others, for example: ` +
        `npm start -- --registration-port ${first + 1_000} --user-port ${second + 1_000} (or REGISTRATION_PORT, USER_PORT)`,
    );
    await expect(assignPorts({ ...ANY, auth: first })).rejects.toThrow(
      `the port ${first} (auth) is taken by another program. Choose another, for example: ` +
        `npm start -- --auth-port ${first + 1_000} (or AUTH_PORT)`,
    );
  });

  it('at the end of the range get a lower suggestion', async () => {
    let port = 65_535;
    while (port > 64_536 && (await listen(port)) === undefined) port -= 1;
    await expect(assignPorts({ ...ANY, base: port })).rejects.toThrow(
      `npm start -- --base-port ${port - 1_000} (`,
    );
  });
});
