import { execFile } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import type { Outcome } from '../src/exchange.ts';
import { createTrustedAgent } from '../src/index.ts';
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

async function ask(origin: string, secureContext?: SecureContext): Promise<Outcome> {
  const agent = createTrustedAgent({ secureContext });
  const outcome = await exchange(agent, origin);
  await agent.destroy();
  return outcome;
}

describe('addresses that whoever runs us chose', () => {
  it('are given up where no connection is made in time', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    servers.push(silent);
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const agent = createTrustedAgent({ connectTimeout: 100 });
    expect(await exchange(agent, `https://localhost:${port}`, 5_000)).toEqual({
      answer: undefined,
      fault: expect.objectContaining({ code: 'UND_ERR_CONNECT_TIMEOUT' }),
    });
    await agent.destroy();
  });

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
  let [client, other]: TlsFiles[] = [];
  let port: number;
  let servings: { name: string; isResumed: boolean }[];

  beforeAll(async () => {
    tls = await tlsFolder();
    client = await tls.issue('client', 'client');
    other = await tls.issue('other', 'client');
  });

  afterAll(() => tls.remove());

  beforeEach(async () => {
    const { cert, key } = await tls.issue('server', { server: ['localhost'] });
    const server = createTlsServer({
      ca: readFileSync(tls.ca),
      cert: readFileSync(cert),
      key: readFileSync(key),
      requestCert: true,
    });
    servings = [];
    server.on('secureConnection', (socket) => {
      const name = socket.getPeerCertificate().subject.CN as string;
      servings.push({ name, isResumed: socket.isSessionReused() });
    });
    port = await listen(server, 'secureConnection');
  });

  const contextOf = ({ cert, key }: TlsFiles, ca?: string): SecureContext =>
    createSecureContext({
      cert: readFileSync(cert),
      key: readFileSync(key),
      ...(ca !== undefined && { ca: readFileSync(ca) }),
    });

  it('goes by the given issuers, certificate and key', async () => {
    expect(await ask(`https://localhost:${port}`, contextOf(client!, tls.ca))).toEqual(ANSWERED);
  });

  it('is none without a certificate where one is wanted', async () => {
    const ca = readFileSync(tls.ca);
    expect(await ask(`https://localhost:${port}`, createSecureContext({ ca }))).toEqual({
      answer: undefined,
      fault: expect.any(Error),
    });
  });

  it('is none with one for whom no given issuer vouches', async () => {
    expect(await ask(`https://localhost:${port}`, contextOf(client!))).toMatchObject({
      answer: undefined,
      fault: { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    });
  });

  it('is none with one for whom nobody vouches, whatever the environment of the process says', async () => {
    const program = `import { createTrustedAgent } from '../src/index.ts';
      import { exchange } from './exchange.ts';
      const { fault } = await exchange(createTrustedAgent({}), 'https://localhost:${port}');
      console.log(fault?.code);
      process.exit();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    expect(stdout).toBe('SELF_SIGNED_CERT_IN_CHAIN\n');
  });

  it('goes by what is given in that moment, and resumes no session', async () => {
    let given: SecureContext | Error = contextOf(client!, tls.ca);
    const agent = createTrustedAgent({
      secureContext: {
        get context(): unknown {
          if (given instanceof Error) throw given;
          return given.context;
        },
      },
    });
    const post = (): Promise<Outcome> => exchange(agent, `https://localhost:${port}`);
    expect([await post(), await post()]).toEqual([ANSWERED, ANSWERED]);
    given = contextOf(other!, tls.ca);
    expect([await post(), await post()]).toEqual([ANSWERED, ANSWERED]);
    given = new Error('there is none now');
    expect(await post()).toEqual({ answer: undefined, fault: given });
    expect(servings).toEqual([
      { name: 'client', isResumed: false },
      { name: 'client', isResumed: false },
      { name: 'other', isResumed: false },
      { name: 'other', isResumed: false },
    ]);
    await agent.destroy();
  });
});
