import { ConfigError } from './config-error.ts';
import { commonConfig, duration, flag, key32, keys32, list, readConfig } from './config.ts';

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

describe('configuration is read once and refused whole', () => {
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
  ])('takes a RATE_LIMIT_WINDOW of whole seconds, up to an hour: %s', (text, ms) => {
    expect(windowOf(text)).toBe(ms);
  });

  it.each(['999ms', '1500ms', '3601s'])('takes no RATE_LIMIT_WINDOW of %s', (text) => {
    expect(() => windowOf(text)).toThrow('RATE_LIMIT_WINDOW: whole seconds, between 1s and 1h');
  });

  it.each(['0', '1000000001', '1.5'])('takes no RATE_LIMIT_CLIENT of %s', (RATE_LIMIT_CLIENT) => {
    expect(() => readConfig(commonConfig, { ...complete, RATE_LIMIT_CLIENT })).toThrow('RATE_LIMIT_CLIENT: ');
  });

  it('takes REVOCATION_LOOPBACK in a sandbox, and in production when it is false', () => {
    const read = (ENVIRONMENT: string, REVOCATION_LOOPBACK: string): unknown =>
      readConfig(commonConfig, { ...complete, ENVIRONMENT, REVOCATION_LOOPBACK, INTERNAL_TLS: 'off' });
    expect(read('sandbox', 'true')).toMatchObject({ REVOCATION_LOOPBACK: true });
    expect(read('production', 'false')).toMatchObject({ REVOCATION_LOOPBACK: false });
    expect(() => read('production', 'true')).toThrow(
      new ConfigError(['REVOCATION_LOOPBACK: for a sandbox only']),
    );
  });

  it.each([
    ['250ms', 250],
    ['3s', 3_000],
    ['5min', 300_000],
    ['24h', 86_400_000],
  ])('reads the duration %s', (text, milliseconds) => {
    expect(duration.parse(text)).toBe(milliseconds);
  });

  it.each(['3', 's', '1.5s', '-1s', '1 s', '1d'])('refuses the duration %j', (text) => {
    expect(duration.safeParse(text).success).toBe(false);
  });

  it('reads flags, lists and keys strictly', () => {
    expect(flag.parse('true')).toBe(true);
    expect(flag.safeParse('yes').success).toBe(false);
    expect(list.parse('a, b,,c')).toEqual(['a', 'b', 'c']);
    expect(list.safeParse(' , ').success).toBe(false);
    expect(key32.parse(Buffer.alloc(32, 7).toString('base64url'))).toEqual(Buffer.alloc(32, 7));
    expect(key32.safeParse(Buffer.alloc(31).toString('base64url')).success).toBe(false);
  });

  describe('a list of keys', () => {
    const keys = Array.from({ length: 6 }, (_, at) => Buffer.alloc(32, at + 1));
    const text = (count: number): string =>
      keys
        .slice(0, count)
        .map((key) => key.toString('base64url'))
        .join();
    const faultsOf = (given: string): string[] =>
      (keys32.safeParse(given).error?.issues ?? []).map(({ message }) => message);
    const MALFORMED = 'base64url of 32 bytes, or up to 5 of them, separated by commas';

    it('has one or up to five, in their order, blanks trimmed', () => {
      expect(keys32.parse(text(1))).toEqual(keys.slice(0, 1));
      expect(keys32.parse(text(5).replaceAll(',', ' , '))).toEqual(keys.slice(0, 5));
    });

    it.each([
      ['six', text(6)],
      ['none', ''],
      ['one that is no key', `${text(1)},short`],
      ['one that is nothing', `${text(1)},`],
      ['another separator', text(2).replace(',', ';')],
    ])('is refused with %s', (_what, given) => {
      expect(faultsOf(given)).toEqual([MALFORMED]);
    });

    it('is refused with a key twice', () => {
      expect(faultsOf(`${text(2)},${text(1)}`)).toEqual(['no key twice']);
    });
  });
});
