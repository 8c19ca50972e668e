import { readStartArguments, USAGE } from '../src/start-arguments.ts';

const read = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  readStartArguments({ args, env, root: '/repository' });

describe('arguments of npm start', () => {
  it('runs the tour on the documented ports and keeps data in .local', () => {
    expect(read([])).toEqual({
      help: false,
      reset: false,
      tour: 'run',
      data: '/repository/.local',
      ports: { base: 8443, registration: 8444, auth: 8445, user: 8446 },
    });
  });

  it('takes ports from flags before the environment, and 0 for any free one', () => {
    const { ports } = read(['--base-port', '9000', '--user-port=0'], { BASE_PORT: '1', AUTH_PORT: '9002' });
    expect(ports).toEqual({ base: 9000, registration: 8444, auth: 9002, user: 0 });
  });

  it('skips the tour, or ends with it', () => {
    expect(read(['--no-tour']).tour).toBe('skip');
    expect(read(['--exit-after-tour']).tour).toBe('run and exit');
  });

  it.each([
    [['--base-port', '70000'], /--base-port must be a port/],
    [['--base-port', '8444'], /a port of its own/],
    [['--no-tour', '--exit-after-tour'], /contradict/],
    [['--unknown'], /--unknown/],
    [['extra'], /extra/],
  ])('refuses %j', (args, words) => {
    expect(() => read(args)).toThrow(words);
  });

  it('names the variable when the environment holds the wrong port', () => {
    expect(() => read([], { AUTH_PORT: 'x' })).toThrow(/^AUTH_PORT must be a port/);
  });

  it('explains every flag', () => {
    for (const flag of ['--no-tour', '--exit-after-tour', '--reset', '--data', '--base-port', '--help'])
      expect(USAGE).toContain(flag);
  });
});
