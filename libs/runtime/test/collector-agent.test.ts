import { once } from 'node:events';
import { type Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { collectorAgent } from '../src/collector-agent.ts';

/** Longer than a test may take. */
const LONG_MS = 600_000;
/** As much as an answer may have, with its head. */
const MOST = 16 * 1024;

const servers: Server[] = [];
const sockets: Socket[] = [];
const agents: Agent[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A collector that answers each request in such a way. @returns its port, and how many connections it has had */
async function collect(answer: (socket: Socket) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.push(socket);
    socket.on('data', () => answer(socket)).on('error', () => {});
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function agentFor(limitMs = LONG_MS): Agent {
  const agent = collectorAgent({ tls: {}, limitMs })('http:');
  agents.push(agent);
  return agent;
}

/** @returns how many characters the answer had */
const send = (agent: Agent, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request({ agent, port, host: '127.0.0.1', method: 'POST' }, (response) => {
      text(response).then(({ length }) => resolve(length), reject);
    });
    asked.on('error', reject).end('spans');
  });

const HEAD = 'HTTP/1.1 200 OK\r\n';
const answerOf = (length: number): string => `${HEAD}content-length: ${length}\r\n\r\n${'x'.repeat(length)}`;
/** Says this again and again, for as long as anybody takes it. */
const endless =
  (first: string, again: string) =>
  (socket: Socket): void => {
    const say = (): void => {
      while (!socket.destroyed && socket.write(again.repeat(1_000))) continue;
    };
    socket.on('drain', say).write(first);
    say();
  };

describe('the answer of a collector', () => {
  it.each([
    ['of one length', endless(`${HEAD}content-length: 4000000\r\n\r\n`, 'x')],
    ['in chunks of one byte', endless(`${HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n')],
    ['that is none yet', endless('', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ])('is given up when it has too much, %s', async (_, answer) => {
    const { port } = await collect(answer);
    await expect(send(agentFor(), port)).rejects.toThrow('the collector says too much');
  });

  it('is given up when it is not whole in time, whatever comes', async () => {
    const { port } = await collect((socket) => socket.write(`${HEAD}content-length: 10\r\n\r\nx`));
    await expect(send(agentFor(20), port)).rejects.toThrow('the collector takes too long');
  });

  it('is given up when it is late over a connection that was kept, too', async () => {
    let answers = [answerOf(1)];
    const { port, connections } = await collect((socket) => {
      for (const answer of answers) socket.write(answer);
      answers = [];
    });
    const agent = agentFor(200);
    expect(await send(agent, port)).toBe(1);
    // Node takes the connection back a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(send(agent, port)).rejects.toThrow('the collector takes too long');
    expect(connections()).toBe(1);
  });

  it('is bounded by itself: the connection is kept, however many went before', async () => {
    const { port, connections } = await collect((socket) => socket.write(answerOf(MOST / 2)));
    const agent = agentFor();
    for (let at = 0; at < 4; at++) {
      expect(await send(agent, port)).toBe(MOST / 2);
      // Node takes the connection back a moment later.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections()).toBe(1);
  });
});
