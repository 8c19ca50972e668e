import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { readMetrics } from '@kontoport/testing/metrics';
import { startNameServer } from '@kontoport/testing/name-server';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { tlsFolder } from '@kontoport/testing/tls';
import { type Parts, postingFor, publish, startParts, webhookClient } from './running.ts';

const sockets: Socket[] = [];
const servers: Server[] = [];
let parts: Parts;
let names: Awaited<ReturnType<typeof startNameServer>>;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  parts = await startParts();
  names = await startNameServer({ 'inside.tpp.example': { a: '169.254.169.254' } });
});

afterAll(async () => {
  await service?.kill();
  names.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await parts.close();
});

/** Listens on loopback, and handles each connection once its first bytes are here. */
async function listen(onData: (socket: Socket) => void, server = createServer()): Promise<number> {
  server.on('connection', (socket: Socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.on('data', () => onData(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

const says = (text: string): Promise<number> => listen((socket) => void socket.write(text));

async function selfSigned(): Promise<number> {
  const tls = await tlsFolder();
  const { cert, key } = await tls.issue('receiver', { server: ['localhost'] }, { isSelfSigned: true });
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
  tls.remove();
  return listen(
    () => {},
    server.on('tlsClientError', () => {}),
  );
}

/** The address of a hostile receiver, by the reason of the attempts that it fails. */
const receivers = async (): Promise<Record<string, [outcome: string, callbackUrl: string]>> => ({
  status: ['rejected', `http://localhost:${await says('HTTP/1.1 302 X\r\nlocation: /\r\n\r\n')}/`],
  timeout: ['timeout', `http://localhost:${await listen(() => {})}/`],
  address: ['forbidden', 'http://inside.tpp.example/'],
  dns: ['unreachable', 'http://unknown.tpp.example/'],
  refused: ['unreachable', `http://localhost:${await freePort()}/`],
  tls: ['unreachable', `https://localhost:${await says('HTTP/1.1 400 X\r\n\r\n')}/`],
  certificate: ['unreachable', `https://localhost:${await selfSigned()}/`],
  reset: ['unreachable', `http://localhost:${await listen((socket) => socket.resetAndDestroy())}/`],
  protocol: ['unreachable', `http://localhost:${await says('SSH-2.0-none\r\n\r\n')}/`],
  'answer-too-long': [
    'unreachable',
    `http://localhost:${await says(`HTTP/1.1 200 X\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)}/`,
  ],
});

describe('the reason of a failed attempt (§6)', () => {
  it('is in the delivery log, the log line and the metric', async () => {
    const [HTTP_PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
    service = startServiceProcess({
      service: 'webhook-dispatcher',
      env: {
        ...parts.env,
        LOG_LEVEL: 'info',
        HTTP_PORT,
        OPS_PORT,
        NAME_SERVERS: names.address,
        WEBHOOK_RETRY_SCHEDULE: '0s',
      },
    });
    await service.ready();
    const tpp = await parts.peers.addTpp();
    const client = webhookClient(() => `http://127.0.0.1:${HTTP_PORT}`, tpp);
    const expected = await receivers();
    const internalIds: Record<string, string> = {};
    for (const [reason, [, callbackUrl]] of Object.entries(expected))
      internalIds[reason] = (await client.subscribe(callbackUrl, reason)).internalId;
    const posting = postingFor([tpp]);
    await publish(parts.producer, [posting]);

    const attempted = async (id: string) => {
      const { body } = await client.ask('GET', `/${id}/deliveries/${posting.eventId}`);
      const { status, attempts } = body as {
        status?: string;
        attempts?: { outcome: string; reason?: string }[];
      };
      return status === 'exhausted' ? attempts![0]! : undefined;
    };
    for (const [reason, [outcome]] of Object.entries(expected)) {
      const attempt = await until(() => attempted(reason), { what: `an attempt with reason ${reason}` });
      expect(attempt).toMatchObject({ outcome, reason });
      expect(service.log).toContainEqual(
        expect.objectContaining({
          msg: 'delivery attempted',
          subscriptionId: internalIds[reason],
          outcome,
          reason,
        }),
      );
    }
    const metrics = await readMetrics(Number(OPS_PORT));
    for (const [reason, [outcome]] of Object.entries(expected))
      expect(metrics.sum('kontoport_webhook_attempt_duration_seconds_count', { outcome, reason })).toBe(1);
  });
});
