import { readStartArguments, type StartOptions } from '../src/start-arguments.ts';

const read = (given: Partial<StartOptions>, env: NodeJS.ProcessEnv = {}) =>
  readStartArguments({
    options: { tour: true, kafka: 'embedded', edge: 'own', ...given },
    env,
    root: '/repository',
  });

describe('arguments of kontoport start', () => {
  it('runs the tour on the documented ports and keeps data in .local', () => {
    expect(read({})).toEqual({
      reset: false,
      replicas: 1,
      tour: 'run',
      data: '/repository/.local',
      ports: { base: 8443, registration: 8444, auth: 8445, user: 8446 },
      kafka: 'embedded',
      edge: 'own',
      environment: 'sandbox',
      bundles: undefined,
    });
  });

  it('runs production on data of its own, without the tour', () => {
    expect(read({ production: true })).toMatchObject({
      tour: 'skip',
      data: '/repository/.local/production',
      environment: 'production',
    });
    expect(read({ production: true, data: '/other' }).data).toBe('/other');
    expect(() => read({ production: true, exitAfterTour: true })).toThrow('--production has no tour');
  });

  it('runs the bundles of a folder', () => {
    expect(read({}).bundles).toBeUndefined();
    expect(read({ bundles: '/made/here' }).bundles).toBe('/made/here');
  });

  it('reads ports from options before the environment', () => {
    const { ports } = read({ basePort: '9000', userPort: '0' }, { BASE_PORT: '1', AUTH_PORT: '9002' });
    expect(ports).toEqual({ base: 9000, registration: 8444, auth: 9002, user: 0 });
  });

  it('skips the tour, or ends after it', () => {
    expect(read({ tour: false }).tour).toBe('skip');
    expect(read({ exitAfterTour: true }).tour).toBe('run and exit');
  });

  it.each([
    [{ basePort: '65536' }, /--base-port must be a port/],
    [{ basePort: '8444' }, /a port of its own/],
    [{ tour: false, exitAfterTour: true }, /contradict/],
    [{ replicas: '0' }, /--replicas must be a number from 1 to 5/],
    [{ edge: 'none' as const, exitAfterTour: true }, /contradict/],
  ])('refuses %j', (given, words) => {
    expect(() => read(given)).toThrow(words);
  });

  it('accepts --kafka apache, but not with KAFKA_BROKERS', () => {
    expect(read({ kafka: 'apache' }).kafka).toBe('apache');
    expect(read({}, { KAFKA_BROKERS: 'kafka:9092' }).kafka).toBe('embedded');
    expect(() => read({ kafka: 'apache' }, { KAFKA_BROKERS: 'kafka:9092' })).toThrow(/contradict/);
  });

  it('skips the tour without an edge, and accepts other formats only then', () => {
    const env = { EDGE_FORMAT: 'nginx' };
    expect(read({ edge: 'none' }, env)).toMatchObject({ edge: 'none', tour: 'skip' });
    expect(() => read({}, env)).toThrow('EDGE_FORMAT=nginx needs --edge none');
  });

  it('accepts the port 65535', () => {
    expect(read({ basePort: '65535' }).ports.base).toBe(65_535);
  });

  it('names the variable when the environment holds the wrong port', () => {
    expect(() => read({}, { AUTH_PORT: 'x' })).toThrow(/^AUTH_PORT must be a port/);
  });
});
