import { ConfigError, readConfig } from '@kontoport/config';
import { kafkaAccess, kafkaConfig } from '@kontoport/events';
import { tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { logger } from './parts.ts';

let tls: TlsFolder;
beforeAll(async () => {
  tls = await tlsFolder();
});
afterAll(() => tls.remove());

const BROKERS = { KAFKA_BROKERS: 'kafka-1.bank.test:9092, kafka-2.bank.test:9092' };
const token = {
  KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
  KAFKA_SASL_OAUTH_TOKEN_URL: 'https://id.bank.test/token',
  KAFKA_SASL_OAUTH_CLIENT_ID: 'service',
  KAFKA_SASL_OAUTH_CLIENT_SECRET: 'hunter2',
};

function faults(env: Record<string, string>): readonly string[] {
  try {
    readConfig(kafkaConfig, { ...BROKERS, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

describe('the Kafka variables', () => {
  it('need only brokers', () => {
    const config = readConfig(kafkaConfig, BROKERS);
    expect(kafkaAccess({ config, logger })).toEqual({
      brokers: ['kafka-1.bank.test:9092', 'kafka-2.bank.test:9092'],
    });
  });

  it.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])('set user and password for %s', (mechanism) => {
    const config = readConfig(kafkaConfig, {
      ...BROKERS,
      KAFKA_TLS_CA: tls.ca,
      KAFKA_SASL_MECHANISM: mechanism,
      KAFKA_SASL_USERNAME: 'service',
      KAFKA_SASL_PASSWORD_FILE: tls.write('password', 'hunter2\n'),
    });
    const { sasl } = kafkaAccess({ config, logger });
    expect(sasl).toMatchObject({ mechanism: mechanism.toLowerCase(), username: 'service' });
    const password = (sasl as { password: () => string }).password;
    expect(password()).toBe('hunter2');
    tls.write('password', 'rotated');
    expect(password()).toBe('rotated');
  });

  it('log an invalid replacement with its variable and without its content', async () => {
    const { cert, key } = await tls.issue('service', 'client');
    const config = readConfig(kafkaConfig, {
      ...BROKERS,
      KAFKA_TLS_CA: tls.ca,
      KAFKA_TLS_CERT: cert,
      KAFKA_TLS_KEY: key,
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: 'service',
      KAFKA_SASL_PASSWORD_FILE: tls.write('password', 'hunter2'),
    });
    const lines: unknown[] = [];
    const error = (fields: object, message: string): void => void lines.push({ ...fields, message });
    const access = kafkaAccess({ config, logger: { error } });
    tls.write('password', '\n');
    tls.write('service-key.pem', 'hunter2');
    expect((access.sasl as { password: () => string }).password()).toBe('hunter2');
    expect(access.tls!().key).toContain('PRIVATE KEY');
    const message = 'Kafka credentials not reloaded, the previous ones stay in use';
    expect(lines).toEqual([
      { fault: 'KAFKA_SASL_PASSWORD_FILE: the file is empty', message },
      { fault: 'KAFKA_TLS_KEY: the file must contain an unencrypted private key in PEM', message },
    ]);
  });

  it.each<[string, Record<string, string>, readonly string[]]>([
    ['broker without port', { KAFKA_BROKERS: 'kafka' }, ['KAFKA_BROKERS: host:port each']],
    ['URL as broker', { KAFKA_BROKERS: 'kafka://kafka:9092' }, ['KAFKA_BROKERS: host:port each']],
    [
      'mechanism alone',
      { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' },
      [
        'KAFKA_SASL_USERNAME: missing; KAFKA_SASL_MECHANISM SCRAM-SHA-512 needs it',
        'KAFKA_SASL_PASSWORD: missing; KAFKA_SASL_MECHANISM SCRAM-SHA-512 needs it',
        'KAFKA_TLS_CA: missing; credentials are sent over TLS only',
      ],
    ],
    [
      'password without mechanism',
      { KAFKA_SASL_USERNAME: 'service', KAFKA_SASL_PASSWORD: 'hunter2', KAFKA_SASL_OAUTH_SCOPE: 'kafka' },
      [
        'KAFKA_SASL_USERNAME: given without KAFKA_SASL_MECHANISM',
        'KAFKA_SASL_PASSWORD: given without KAFKA_SASL_MECHANISM',
        'KAFKA_SASL_OAUTH_SCOPE: given without KAFKA_SASL_MECHANISM',
      ],
    ],
    [
      'token without endpoint, with a password',
      { KAFKA_TLS_CA: 'system', KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_SASL_PASSWORD: 'hunter2' },
      [
        'KAFKA_SASL_OAUTH_TOKEN_URL: missing; KAFKA_SASL_MECHANISM OAUTHBEARER needs it',
        'KAFKA_SASL_OAUTH_CLIENT_ID: missing; KAFKA_SASL_MECHANISM OAUTHBEARER needs it',
        'KAFKA_SASL_OAUTH_CLIENT_SECRET: missing; KAFKA_SASL_MECHANISM OAUTHBEARER needs it',
        'KAFKA_SASL_PASSWORD: KAFKA_SASL_MECHANISM OAUTHBEARER has no use for it',
      ],
    ],
    [
      'token endpoint without TLS',
      { KAFKA_TLS_CA: 'system', ...token, KAFKA_SASL_OAUTH_TOKEN_URL: 'http://id.bank.test/token' },
      ['KAFKA_SASL_OAUTH_TOKEN_URL: https'],
    ],
    [
      'key without certificate and CA',
      { KAFKA_TLS_KEY: '/absent' },
      [
        'KAFKA_TLS_CA: missing; a client certificate needs it (a file, or "system")',
        'KAFKA_TLS_CERT: missing, KAFKA_TLS_KEY is given',
        'KAFKA_TLS_KEY: the file cannot be read (ENOENT)',
      ],
    ],
    [
      'plaintext in production',
      { ENVIRONMENT: 'production' },
      ['KAFKA_TLS_CA: missing; in production brokers on other machines are reached by TLS only'],
    ],
    [
      'token endpoint on this machine',
      { KAFKA_TLS_CA: 'system', ...token, KAFKA_SASL_OAUTH_TOKEN_URL: 'http://127.0.0.1:1/' },
      [],
    ],
    ['sidecar in production', { ENVIRONMENT: 'production', KAFKA_BROKERS: 'localhost:9092' }, []],
    ['TLS in production', { ENVIRONMENT: 'production', KAFKA_TLS_CA: 'system' }, []],
    ['tokens, complete', { KAFKA_TLS_CA: 'system', ...token, KAFKA_SASL_OAUTH_SCOPE: 'kafka' }, []],
  ])('%s: lists all faults at once, and no secret', (_what, env, expected) => {
    expect(faults(env)).toEqual(expected);
  });
});
