import { readFileSync } from 'node:fs';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { type ConfigError, readConfig } from '@kontoport/config';
import { ApiError, defineTexts } from '@kontoport/errors';
import { askBank, bankConfig, bankConnection, isUnknownToBank, unary } from '@kontoport/grpc';
import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import {
  type GetUserRequest,
  type GetUserResponse,
  UserLoginServiceClient,
  UserLoginServiceService,
} from '@kontoport/proto/bank/v1';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';

const logger = createLogger({ service: 'test', level: 'silent' });
const user = { userId: '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f', name: 'Freja Holm' };
const TEXTS = defineTexts({ no: { en: 'no', da: 'nej', sv: 'nej', nb: 'nei' } });

const faults = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(bankConfig, env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

describe('the variables of the bank connection (§Sandbox)', () => {
  const production = { ENVIRONMENT: 'production' };
  const remote = { BANK_GRPC: 'bank.test:443' };
  const needsTls = ['BANK_TLS_CA: missing; in production a bank on another machine is reached by TLS only'];

  it.each<[string, Record<string, string>, readonly string[]]>([
    ['nothing, in the sandbox', { ENVIRONMENT: 'sandbox' }, []],
    ['nothing, in production', production, ['BANK_GRPC: missing; in production the bank is asked']],
    ['no port', { BANK_GRPC: 'bank.test' }, ['BANK_GRPC: host:port']],
    ['a URL', { BANK_GRPC: 'https://bank.test:443' }, ['BANK_GRPC: host:port']],
    ['another machine without TLS, in the sandbox', { ENVIRONMENT: 'sandbox', ...remote }, []],
    ['another machine without TLS, in production', { ...production, ...remote }, needsTls],
    ['the same, where false allows it not', { ...production, ...remote, BANK_PLAINTEXT: 'false' }, needsTls],
    ['the same, allowed', { ...production, ...remote, BANK_PLAINTEXT: 'true' }, []],
    ['this machine by its name', { ...production, BANK_GRPC: 'localhost:1' }, []],
    ['this machine by IPv6', { ...production, BANK_GRPC: '[::1]:1' }, []],
    ['TLS', { ...production, ...remote, BANK_TLS_CA: 'system' }, []],
    [
      'a key without certificate',
      { ...remote, BANK_TLS_CA: 'system', BANK_TLS_KEY: '/nowhere' },
      ['BANK_TLS_CERT: missing, BANK_TLS_KEY is given', 'BANK_TLS_KEY: the file cannot be read (ENOENT)'],
    ],
  ])('are validated together: %s', (_what, env, expected) => {
    expect(faults(env)).toEqual(expected);
  });
});

describe('the connection to the bank (§Sandbox)', () => {
  let tls: TlsFolder;
  let stranger: TlsFolder;
  let client: TlsFiles;
  let bank: Server;
  let address: string;
  const opened: Lifecycle[] = [];

  const serve = async (server: Server, channel: ServerCredentials): Promise<string> => {
    server.addService(UserLoginServiceService, {
      getUser: unary<GetUserRequest, GetUserResponse>(logger, async ({ userId }) => {
        if (userId === user.userId) return { user };
        if (userId === 'unknown') throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no'));
        throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no'));
      }),
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', channel, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    return `localhost:${port}`;
  };

  beforeAll(async () => {
    [tls, stranger] = await Promise.all([tlsFolder(), tlsFolder()]);
    client = await tls.issue('client', 'client');
    const server = await tls.issue('server', { server: ['localhost'] });
    bank = new Server();
    const [key, certificate] = [readFileSync(server.key), readFileSync(server.cert)];
    address = await serve(
      bank,
      ServerCredentials.createSsl(
        readFileSync(tls.ca),
        [{ private_key: key, cert_chain: certificate }],
        true,
      ),
    );
  });
  afterEach(async () => {
    for (const lifecycle of opened.splice(0)) await lifecycle.close(logger);
  });
  afterAll(() => {
    bank.forceShutdown();
    tls.remove();
    stranger.remove();
  });

  const ask = async (env: Record<string, string>, userId = user.userId): Promise<unknown> => {
    const lifecycle = new Lifecycle();
    opened.push(lifecycle);
    const config = readConfig(bankConfig, { BANK_GRPC: address, ...env });
    const login = bankConnection({ config, lifecycle, logger })(UserLoginServiceClient);
    return askBank(login, login.getUser, { userId }).catch((error: unknown) => error);
  };
  const withClient = () => ({ BANK_TLS_CERT: client.cert, BANK_TLS_KEY: client.key });

  it("is mutual TLS and verifies the bank's certificate", async () => {
    expect(await ask({ BANK_TLS_CA: tls.ca, ...withClient() })).toEqual({ user });
  });

  it.each<[string, () => Record<string, string>]>([
    ['a bank of an unknown authority', () => ({ BANK_TLS_CA: stranger.ca, ...withClient() })],
    ['a bank of no public authority', () => ({ BANK_TLS_CA: 'system', ...withClient() })],
    [
      'a bank of another name',
      () => ({ BANK_TLS_CA: tls.ca, ...withClient(), BANK_GRPC: address.replace('localhost', '127.0.0.1') }),
    ],
    ['no client certificate', () => ({ BANK_TLS_CA: tls.ca })],
    ['no TLS', () => ({})],
  ])('is UNAVAILABLE with %s', async (_what, env) => {
    expect(await ask(env())).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('treats every error of the bank as no answer, and recognizes NOT_FOUND', async () => {
    const env = { BANK_TLS_CA: tls.ca, ...withClient() };
    const [unknown, refused] = await Promise.all([ask(env, 'unknown'), ask(env, 'another')]);
    for (const error of [unknown, refused]) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', details: [] });
    }
    expect([unknown, refused, new Error('other')].map(isUnknownToBank)).toEqual([true, false, false]);
  });

  it('recognizes a NOT_FOUND without our trailer', async () => {
    const plain = new Server();
    plain.addService(UserLoginServiceService, {
      getUser: (_call: unknown, callback: (error: object) => void) =>
        callback({ code: status.NOT_FOUND, details: 'no such user' }),
    });
    const port = await new Promise<number>((resolve, reject) => {
      plain.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const answer = await ask({ BANK_GRPC: `localhost:${port}` });
    plain.forceShutdown();
    expect(answer).toMatchObject({ code: 'UNAVAILABLE' });
    expect(isUnknownToBank(answer)).toBe(true);
  });
});
