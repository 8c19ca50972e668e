import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { ConfigError, readConfig } from '@kontoport/config';
import { internalTlsConfig, openInternalTls } from '@kontoport/internal-tls';
import { createLogger } from '@kontoport/lifecycle';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';

const logger = createLogger({ service: 'test', level: 'silent' });

let ours: TlsFolder;
let strangers: TlsFolder;
let auth: TlsFiles;

beforeAll(async () => {
  [ours, strangers] = await Promise.all([tlsFolder(), tlsFolder()]);
  auth = await ours.issue('auth', { peer: ['auth', 'localhost'] });
});
afterAll(() => {
  ours.remove();
  strangers.remove();
});

const all = ({ cert, key }: TlsFiles, ca = ours.ca): Record<string, string> => ({
  INTERNAL_TLS_CERT_FILE: cert,
  INTERNAL_TLS_KEY_FILE: key,
  INTERNAL_TLS_CA_FILE: ca,
});

/** Returns the faults of the variables, and of the certificate of `name`. */
function faults(env: Record<string, string>, name = 'auth'): readonly string[] {
  try {
    openInternalTls({ name, config: readConfig(internalTlsConfig, env), logger });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

const missing = (name: string, why: string): string =>
  `${name}: missing; services speak to each other over mutual TLS (${why})`;
const FILES = ['INTERNAL_TLS_CERT_FILE', 'INTERNAL_TLS_KEY_FILE', 'INTERNAL_TLS_CA_FILE'];
const allMissing = FILES.map((name) => missing(name, 'or INTERNAL_TLS=off'));

describe('the variables of internal TLS', () => {
  it.each<[string, Record<string, string>, readonly string[]]>([
    ['nothing in the sandbox', { ENVIRONMENT: 'sandbox' }, []],
    ['nothing where there is no environment', {}, []],
    ['nothing in production', { ENVIRONMENT: 'production' }, allMissing],
    ['off in production', { ENVIRONMENT: 'production', INTERNAL_TLS: 'off' }, []],
    ['on in the sandbox', { ENVIRONMENT: 'sandbox', INTERNAL_TLS: 'on' }, allMissing],
    [
      'a key alone',
      { INTERNAL_TLS_KEY_FILE: '/nowhere' },
      [FILES[0]!, FILES[2]!].map((name) => missing(name, 'the three files go together')),
    ],
  ])('are judged together: %s', (_what, env, expected) => {
    expect(faults(env)).toEqual(expected);
  });

  it('are good with a certificate of the authority that bears the name, in production as anywhere', () => {
    expect(faults({ ENVIRONMENT: 'production', ...all(auth) })).toEqual([]);
  });

  it('may name one file for certificate and key', () => {
    const both = ours.write(
      'both.pem',
      [auth.key, auth.cert].map((file) => readFileSync(file, 'utf8')).join(''),
    );
    expect(faults(all({ cert: both, key: both }))).toEqual([]);
  });

  it('contradict each other where files are given, and it is off', () => {
    expect(faults({ INTERNAL_TLS: 'off', ...all(auth) })).toEqual(
      FILES.map((name) => `${name}: given, but INTERNAL_TLS is off`),
    );
  });

  it('name all files that cannot be read at once', () => {
    expect(faults(all({ cert: '/a', key: '/b' }, '/c')).toSorted()).toEqual(
      FILES.map((name) => `${name}: the file cannot be read (ENOENT)`).toSorted(),
    );
  });

  it('name authorities of their own, never those of the system', () => {
    expect(faults(all(auth, 'system'))).toEqual([
      'INTERNAL_TLS_CA_FILE: a file; the authorities of the system certify others, too',
    ]);
  });

  it.each<[string, () => Promise<[TlsFiles, string]>, string]>([
    [
      'that has expired',
      async () => [await ours.issue('past', { peer: ['auth'] }, { isExpired: true }), ours.ca],
      'it has expired',
    ],
    [
      'of another authority',
      async () => [auth, strangers.ca],
      'no authority in INTERNAL_TLS_CA_FILE has issued it',
    ],
    [
      'of another service',
      async () => [await ours.issue('other', { peer: ['payments'] }), ours.ca],
      'it does not name auth',
    ],
  ])('take no certificate %s', async (_what, given, fault) => {
    const [files, ca] = await given();
    expect(faults(all(files, ca))).toEqual([`INTERNAL_TLS_CERT_FILE: ${fault}`]);
  });
});

describe('a server of internal TLS', () => {
  it('cuts whoever begins no handshake, after ten seconds', async () => {
    const tls = openInternalTls({ name: 'auth', config: readConfig(internalTlsConfig, all(auth)), logger })!;
    expect(tls.serverOptions()).toMatchObject({ handshakeTimeout: 10_000 });
    const server = createServer({ ...tls.serverOptions(), handshakeTimeout: 50 });
    const accepted: unknown[] = [];
    tls.keep(server, (socket) => accepted.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const silent = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    await once(silent, 'close');
    expect(accepted).toEqual([]);
    server.close();
    await once(server, 'close');
  });
});
