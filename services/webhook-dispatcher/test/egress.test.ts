import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { startNameServer, type Zone } from '@kontoport/testing/name-server';
import { startReceiver } from './receiver.ts';
import { postingFor, publish, webhookClient, type WireSubscription } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

const NAME = 'hooks.tpp.example';
const zone: Zone = { [NAME]: { a: '127.0.0.1' } };

let scene: Scene;
let names: Awaited<ReturnType<typeof startNameServer>>;

beforeAll(async () => {
  names = await startNameServer(zone);
  scene = await openScene();
});

afterAll(async () => {
  await scene.close();
  names.close();
});

const MANY = ['0s', ...Array<string>(99).fill('50ms')].join();

interface WireAttempt {
  number: number;
  outcome: string;
  reason?: string;
  httpStatus?: number;
}

/** The attempts of a subscription's only delivery as its TPP reads them, once there are enough. */
function logged(
  client: ReturnType<typeof webhookClient>,
  { id }: WireSubscription,
  isEnough: (attempts: readonly WireAttempt[]) => boolean,
): Promise<WireAttempt[]> {
  return until(
    async () => {
      const list = await client.ask('GET', `/${id}/deliveries`);
      const [delivery] = (list.body as { deliveries?: { deliveryId: string }[] }).deliveries ?? [];
      if (delivery === undefined) return undefined;
      const { status, body } = await client.ask('GET', `/${id}/deliveries/${delivery.deliveryId}`);
      const { attempts } = body as { attempts: WireAttempt[] };
      return status === 200 && isEnough(attempts) ? attempts : undefined;
    },
    { what: 'the attempts of a delivery' },
  );
}

const has =
  (outcome: string) =>
  (attempts: readonly WireAttempt[]): boolean =>
    attempts.some((attempt) => attempt.outcome === outcome);

/** The outcomes of the attempts; on a busy machine a name lookup may be late, too. */
const outcomes = (attempts: readonly WireAttempt[]): string[] => [
  ...new Set(attempts.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'unreachable')),
];

describe('a callback with a forbidden address at the time of an attempt (§6)', () => {
  it('gets nothing, although it was accepted when it was created; the log has the reason', async () => {
    await scene.restart();
    const { tpp, client, receiver, subscription } = await scene.subscriber();
    const { port } = new URL(receiver.url);
    const byName = await client.subscribe(`http://localhost:${port}/hook`);
    await scene.restart({ CALLBACK_LOOPBACK: 'false' });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    for (const one of [subscription, byName]) {
      const attempts = await logged(client, one, ({ length }) => length === 4);
      for (const [at, attempt] of attempts.entries())
        expect(attempt).toEqual({
          number: at + 1,
          startedAt: expect.any(String) as string,
          milliseconds: expect.any(Number) as number,
          outcome: 'forbidden',
          reason: 'address',
        });
    }
    expect(receiver.connections()).toBe(0);
  });

  it('gets nothing while its name resolves to another address; each attempt resolves it again', async () => {
    await scene.restart({ NAME_SERVERS: names.address, WEBHOOK_RETRY_SCHEDULE: MANY });
    zone[NAME] = { a: '127.0.0.1' };
    const { tpp, client, receiver } = await scene.subscriber((response, _webhook, index) => {
      if (index > 0) return void response.writeHead(204).end();
      zone[NAME] = { a: '169.254.169.254' };
      response.writeHead(500, { connection: 'close' }).end();
    });
    const byName = await client.subscribe(`http://${NAME}:${new URL(receiver.url).port}/named`);
    await client.ask('DELETE', `/${(await onlyOther(client, byName)).id}`);
    await publish(scene.parts.producer, [postingFor([tpp])]);
    await until(
      async () =>
        (await scene.deliveriesOf(byName)).some(({ attempts }) =>
          attempts.some(({ outcome }) => outcome === 'forbidden'),
        ),
      { what: 'an attempt while the name leads elsewhere' },
    );
    expect(receiver.received).toHaveLength(1);
    zone[NAME] = { a: '127.0.0.1' };
    const attempts = await logged(client, byName, has('accepted'));
    expect(outcomes(attempts)).toEqual(['rejected', 'forbidden', 'accepted']);
    expect(receiver.received).toHaveLength(2);
  });

  it('gets nothing at an address that the operator denies', async () => {
    const [closed, open] = [await startReceiver(), await scene.subscriber()];
    const { tpp, client } = open;
    const { port } = new URL(closed.url);
    const subscription = await client.subscribe(`http://[::1]:${port}/hook`);
    await scene.restart({ CALLBACK_DENY: '::1/128,8.8.8.0/24' });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    await arrived(open.receiver);
    expect(outcomes(await logged(client, subscription, has('forbidden')))).toEqual(['forbidden']);
    // The rest of its schedule would be sent under the settings of the next test.
    expect((await client.ask('DELETE', `/${subscription.id}`)).status).toBe(204);
    for (const callbackUrl of ['https://8.8.8.8/hook', `http://[::1]:${port}/hook`])
      expect(
        await client.ask('POST', '/another', { callbackUrl, eventTypes: ['Posting.CreatedV1'] }),
      ).toMatchObject({ status: 400, body: { details: [{ path: 'callbackUrl' }] } });
    await closed.close();
  });
});

const onlyOther = async (
  client: ReturnType<typeof webhookClient>,
  { id }: WireSubscription,
): Promise<WireSubscription> => {
  const { body } = await client.ask('GET', '');
  return (body as { subscriptions: WireSubscription[] }).subscriptions.find((one) => one.id !== id)!;
};

describe('callbacks through a forward proxy (§6)', () => {
  it('reach only the private network that the operator allows', async () => {
    const asked: string[] = [];
    const receiver = await startReceiver();
    const open = new Set<Socket>();
    const proxy = createServer();
    proxy.on('connection', (socket: Socket) => void open.add(socket));
    proxy.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
      asked.push(`${url} ${headers['proxy-authorization']}`);
      socket.on('error', () => {});
      if (url.startsWith('10.20.0.3')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      if (url.startsWith('10.20.0.4')) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      const far = connect(Number(new URL(receiver.url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(far).pipe(socket);
      });
      far.on('error', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    await scene.restart({
      CALLBACK_ALLOW: '10.20.0.0/16',
      CALLBACK_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      CALLBACK_PROXY_USERNAME: 'kontoport',
      CALLBACK_PROXY_PASSWORD: 'the password of the proxy',
      NAME_SERVERS: names.address,
      WEBHOOK_RETRY_SCHEDULE: MANY,
    });
    zone['inside.bank.internal'] = { a: '10.20.0.2' };
    zone['turned.bank.internal'] = { a: '10.21.0.2' };
    const tpp = await scene.parts.peers.addTpp();
    const client = webhookClient(() => scene.service.origin, tpp);
    const subscribed = await Promise.all(
      ['inside.bank.internal', '10.20.0.4', '10.20.0.3', 'turned.bank.internal'].map((host) =>
        client.subscribe(`http://${host}:8080/hook`),
      ),
    );
    expect(
      await client.ask('POST', '/another', {
        callbackUrl: 'http://10.21.0.2/',
        eventTypes: ['Posting.CreatedV1'],
      }),
    ).toMatchObject({ status: 400 });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    await arrived(receiver);
    expect(outcomes(await logged(client, subscribed[0]!, has('accepted')))).toEqual(['accepted']);
    const [failed] = await logged(client, subscribed[1]!, has('unreachable'));
    expect(failed).toMatchObject({ outcome: 'unreachable', reason: 'proxy' });
    for (const one of subscribed.slice(2))
      expect(outcomes(await logged(client, one, has('forbidden')))).toEqual(['forbidden']);
    const credentials = `Basic ${Buffer.from('kontoport:the password of the proxy').toString('base64')}`;
    expect(new Set(asked)).toEqual(
      new Set(['10.20.0.2', '10.20.0.3', '10.20.0.4'].map((host) => `${host}:8080 ${credentials}`)),
    );
    expect(receiver.received[0]!.headers).not.toHaveProperty('proxy-authorization');
    expect(receiver.received[0]!.headers.host).toBe('inside.bank.internal:8080');
    await scene.restart();
    for (const socket of open) socket.destroy();
    proxy.close();
    await receiver.close();
  });
});
