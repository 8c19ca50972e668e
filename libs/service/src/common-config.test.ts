import { ConfigError, readConfig } from '@kontoport/config';
import { commonConfig } from './common-config.ts';

const complete = {
  ENVIRONMENT: 'sandbox',
  HTTP_PORT: '8080',
  OPS_PORT: '9090',
  TRUST_ANCHORS: '/anchors',
  EDGE_ADDRESSES: '10.0.0.0/8, 127.0.0.1',
  EDGE_SECRET: 'x'.repeat(32),
  REGISTRATION_GRPC: 'registration:9000',
  AUTH_JWKS_URL: 'http://auth:8080/.well-known/jwks.json',
  TOKEN_ISSUER: 'https://auth.bank.test',
};

describe('configuration is validated as a whole', () => {
  it('reads a complete environment, with defaults', () => {
    const config = readConfig(commonConfig, { ...complete, UNRELATED: 'x' });
    expect(config).toMatchObject({
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: 8080,
      EDGE_ADDRESSES: ['10.0.0.0/8', '127.0.0.1'],
      LOG_LEVEL: 'info',
      REVOCATION: 'soft-fail',
      REVOCATION_LOOPBACK: false,
      RATE_LIMIT_CLIENT: 5_000,
      RATE_LIMIT_ORGANIZATION: 10_000,
      RATE_LIMIT_WINDOW: 10_000,
    });
    expect(config).not.toHaveProperty('UNRELATED');
  });

  it('names every missing and every malformed variable at once, and never repeats a value', () => {
    const { TRUST_ANCHORS: _anchors, ...rest } = complete;
    const read = (): unknown =>
      readConfig(commonConfig, { ...rest, HTTP_PORT: 'eighty', EDGE_SECRET: 'hunter2', TOKEN_ISSUER: '' });
    expect(read).toThrow(ConfigError);
    const message = (() => {
      try {
        read();
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message).toContain('TRUST_ANCHORS: missing');
    expect(message).toContain('TOKEN_ISSUER: missing');
    expect(message).toContain('HTTP_PORT: ');
    expect(message).toContain('EDGE_SECRET: ');
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain('eighty');
  });

  const windowOf = (RATE_LIMIT_WINDOW: string): number =>
    readConfig(commonConfig, { ...complete, RATE_LIMIT_WINDOW }).RATE_LIMIT_WINDOW;

  it.each([
    ['1s', 1_000],
    ['1h', 3_600_000],
  ])('accepts a RATE_LIMIT_WINDOW of whole seconds, up to an hour: %s', (text, ms) => {
    expect(windowOf(text)).toBe(ms);
  });

  it.each(['999ms', '1500ms', '3601s'])('rejects a RATE_LIMIT_WINDOW of %s', (text) => {
    expect(() => windowOf(text)).toThrow('RATE_LIMIT_WINDOW: whole seconds, between 1s and 1h');
  });

  it.each(['0', '1000000001', '1.5'])('rejects a RATE_LIMIT_CLIENT of %s', (RATE_LIMIT_CLIENT) => {
    expect(() => readConfig(commonConfig, { ...complete, RATE_LIMIT_CLIENT })).toThrow('RATE_LIMIT_CLIENT: ');
  });

  it('refuses REQUEST_LOG_GRPC in production', () => {
    const read = (ENVIRONMENT: string): unknown =>
      readConfig(commonConfig, {
        ...complete,
        ENVIRONMENT,
        REQUEST_LOG_GRPC: 'accounts:9090',
        INTERNAL_TLS: 'off',
      });
    expect(read('sandbox')).toMatchObject({ REQUEST_LOG_GRPC: 'accounts:9090' });
    expect(() => read('production')).toThrow(new ConfigError(['REQUEST_LOG_GRPC: for a sandbox only']));
  });

  it('accepts REVOCATION_LOOPBACK in a sandbox, and `false` in production', () => {
    const read = (ENVIRONMENT: string, REVOCATION_LOOPBACK: string): unknown =>
      readConfig(commonConfig, { ...complete, ENVIRONMENT, REVOCATION_LOOPBACK, INTERNAL_TLS: 'off' });
    expect(read('sandbox', 'true')).toMatchObject({ REVOCATION_LOOPBACK: true });
    expect(read('production', 'false')).toMatchObject({ REVOCATION_LOOPBACK: false });
    expect(() => read('production', 'true')).toThrow(
      new ConfigError(['REVOCATION_LOOPBACK: for a sandbox only']),
    );
  });
});
