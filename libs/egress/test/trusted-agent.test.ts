import dns from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { jest } from '@jest/globals';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import type { Outcome } from '../src/exchange.ts';
import { createTrustedAgent, type TlsIdentity } from '../src/index.ts';
import { exchange } from './exchange.ts';

const ANSWER = 'HTTP/1.1 204 X\r\n\r\n';
const ANSWERED = { answer: expect.objectContaining({ status: 204 }), fault: undefined };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, event: 'connection' | 'secureConnection'): Promise<number> {
  servers.push(server);
  server.on(event, (socket: Socket) => socket.on('error', () => {}).once('data', () => socket.end(ANSWER)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function ask(origin: string, tls: TlsIdentity = {}): Promise<Outcome> {
  const agent = createTrustedAgent({ tls });
  const outcome = await exchange(agent, origin);
  await agent.destroy();
  return outcome;
}

describe('addresses that whoever runs us chose', () => {
  it('may lie on this machine', async () => {
    const port = await listen(createServer(), 'connection');
    expect(await ask(`http://127.0.0.1:${port}`)).toEqual(ANSWERED);
  });

  it('are looked up as the machine does', async () => {
    const lookup = jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((
        _name: string,
        _options: object,
        callback: (error: null, found: dns.LookupAddress[]) => void,
      ) => callback(null, [{ address: '127.0.0.1', family: 4 }])) as never);
    const port = await listen(createServer(), 'connection');
    expect(await ask(`http://collector.localhost:${port}`)).toEqual(ANSWERED);
    expect(lookup).toHaveBeenCalledWith('collector.localhost', expect.anything(), expect.anything());
    lookup.mockRestore();
  });
});

describe('TLS with them', () => {
  let tls: TlsFolder;
  let [server, client]: TlsFiles[] = [];
  let port: number;

  beforeAll(async () => {
    tls = await tlsFolder();
    server = await tls.issue('server', { server: ['localhost'] });
    client = await tls.issue('client', 'client');
  });

  afterAll(() => tls.remove());

  beforeEach(async () => {
    port = await listen(
      createTlsServer({
        ca: readFileSync(tls.ca),
        cert: readFileSync(server!.cert),
        key: readFileSync(server!.key),
        requestCert: true,
      }),
      'secureConnection',
    );
  });

  const identity = (): Required<TlsIdentity> => ({
    ca: readFileSync(tls.ca, 'utf8'),
    cert: readFileSync(client!.cert, 'utf8'),
    key: readFileSync(client!.key, 'utf8'),
  });

  it('goes by the given issuers, certificate and key', async () => {
    expect(await ask(`https://localhost:${port}`, identity())).toEqual(ANSWERED);
  });

  it('is none without a certificate where one is wanted', async () => {
    const { ca } = identity();
    expect(await ask(`https://localhost:${port}`, { ca })).toEqual({
      answer: undefined,
      fault: expect.any(Error),
    });
  });

  it('is none with one for whom no given issuer vouches', async () => {
    const { cert, key } = identity();
    expect(await ask(`https://localhost:${port}`, { cert, key })).toMatchObject({
      answer: undefined,
      fault: { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    });
  });

  it('is none by files that are no certificates', async () => {
    expect(await ask(`https://localhost:${port}`, { ca: 'x', cert: 'x', key: 'x' })).toMatchObject({
      answer: undefined,
      fault: { code: 'ERR_OSSL_PEM_NO_START_LINE' },
    });
  });
});
