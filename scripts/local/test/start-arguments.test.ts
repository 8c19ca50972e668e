import { kontoport } from '@kontoport/testing/kontoport';
import { readStartArguments, START_OPTIONS } from '../src/start-arguments.ts';

const nothing = {
  'no-tour': false,
  'exit-after-tour': false,
  reset: false,
  production: false,
  data: undefined,
  kafka: undefined,
  bundles: undefined,
  'base-port': undefined,
  'registration-port': undefined,
  'auth-port': undefined,
  'user-port': undefined,
};

const read = (
  given: Partial<Parameters<typeof readStartArguments>[0]['values']>,
  env: NodeJS.ProcessEnv = {},
) => readStartArguments({ values: { ...nothing, ...given }, env, root: '/repository' });

describe('arguments of kontoport start', () => {
  it('runs the tour on the documented ports and keeps data in .local', () => {
    expect(read({})).toEqual({
      reset: false,
      tour: 'run',
      data: '/repository/.local',
      ports: { base: 8443, registration: 8444, auth: 8445, user: 8446 },
      kafka: 'embedded',
      environment: 'sandbox',
      bundles: undefined,
    });
  });

  it('runs as production does on data of its own, without the tour of the sandbox', () => {
    expect(read({ production: true })).toMatchObject({
      tour: 'skip',
      data: '/repository/.local/production',
      environment: 'production',
    });
    expect(read({ production: true, data: '/other' }).data).toBe('/other');
    expect(() => read({ production: true, 'exit-after-tour': true })).toThrow('--production has no tour');
  });

  it('runs the bundles of a folder', () => {
    expect(read({}).bundles).toBeUndefined();
    expect(read({ bundles: '/made/here' }).bundles).toBe('/made/here');
  });

  it('takes ports from flags before the environment, and 0 for any free one', () => {
    const { ports } = read({ 'base-port': '9000', 'user-port': '0' }, { BASE_PORT: '1', AUTH_PORT: '9002' });
    expect(ports).toEqual({ base: 9000, registration: 8444, auth: 9002, user: 0 });
  });

  it('skips the tour, or ends with it', () => {
    expect(read({ 'no-tour': true }).tour).toBe('skip');
    expect(read({ 'exit-after-tour': true }).tour).toBe('run and exit');
  });

  it.each([
    [{ 'base-port': '65536' }, /--base-port must be a port/],
    [{ 'base-port': '8444' }, /a port of its own/],
    [{ kafka: 'other' }, /--kafka must be "embedded" or "apache"/],
    [{ 'no-tour': true, 'exit-after-tour': true }, /contradict/],
  ])('refuses %j', (given, words) => {
    expect(() => read(given)).toThrow(words);
  });

  it('takes the real Kafka, unless another one is named', () => {
    expect(read({ kafka: 'apache' }).kafka).toBe('apache');
    expect(read({}, { KAFKA_BROKERS: 'kafka:9092' }).kafka).toBe('embedded');
    expect(() => read({ kafka: 'apache' }, { KAFKA_BROKERS: 'kafka:9092' })).toThrow(/contradict/);
  });

  it('takes every port there is', () => {
    expect(read({ 'base-port': '65535' }).ports.base).toBe(65_535);
  });

  it('names the variable when the environment holds the wrong port', () => {
    expect(() => read({}, { AUTH_PORT: 'x' })).toThrow(/^AUTH_PORT must be a port/);
  });

  it('explains every option with its standard', async () => {
    const { status, stdout } = await kontoport(['start', '--help']);
    expect(status).toBe(0);
    for (const [flag, { summary }] of Object.entries(START_OPTIONS))
      expect(stdout.split('\n').find((line) => line.startsWith(`  --${flag}`))).toContain(summary);
    expect(stdout).toMatch(/--base-port N .*\(8443\)$/m);
  });
});
