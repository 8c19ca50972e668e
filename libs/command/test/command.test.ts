import { jest } from '@jest/globals';
import {
  completionOf,
  defineCommand,
  type Group,
  list,
  nearest,
  runCommandLine,
  wrap,
} from '../src/index.ts';

const calls: unknown[] = [];
const root: Group = {
  summary: 'a shop',
  commands: {
    sell: defineCommand({
      summary: 'sells things',
      options: {
        'no-wrap': { type: 'boolean', summary: 'as it is' },
        price: { type: 'string', value: 'N', summary: 'what it costs', standard: '1' },
        tag: { type: 'string', multiple: true, summary: 'a label' },
        colour: { type: 'string', summary: 'of the paper', choices: ['red', 'blue'] },
        list: { type: 'string', value: 'FILE', summary: 'the goods' },
        json: { type: 'boolean', summary: 'as JSON' },
      },
      operands: [{ name: 'THING' }, { name: 'PLACE', optional: true }],
      jsonOfError: { sold: null },
      run: async (call) => {
        calls.push(call);
        return 1;
      },
    }),
    stock: {
      summary: 'the stock',
      commands: { count: defineCommand({ summary: 'counts', options: {}, run: async () => 0 }) },
    },
  },
};

describe('a command line', () => {
  let said: { out: string; err: string };
  const run = async (args: string, env: NodeJS.ProcessEnv = {}) => {
    said = { out: '', err: '' };
    jest.spyOn(console, 'log').mockImplementation((text: string) => void (said.out += `${text}\n`));
    jest.spyOn(console, 'error').mockImplementation((text: string) => void (said.err += `${text}\n`));
    const status = await runCommandLine({
      name: 'shop',
      root,
      args: args.split(' ').filter((word) => word !== ''),
      env,
    });
    jest.restoreAllMocks();
    return { status, ...said };
  };
  beforeEach(() => calls.splice(0));

  it('hands a command its values, the last of several, and ends as it says', async () => {
    expect(await run('sell --no-wrap --price 1 --price=3 --tag a cup --tag b')).toEqual({
      status: 1,
      out: '',
      err: '',
    });
    expect(calls).toEqual([
      {
        values: {
          'no-wrap': true,
          price: '3',
          tag: ['a', 'b'],
          colour: undefined,
          list: undefined,
          json: false,
        },
        operands: ['cup'],
        env: {},
      },
    ]);
  });

  it('takes what follows -- as it stands', async () => {
    await run('sell -- --help');
    expect(calls).toMatchObject([{ operands: ['--help'] }]);
  });

  it.each([
    ['', 'shop: name a command: sell, stock. --help explains them'],
    ['--nonsense', 'shop: "--nonsense" stands before the name of a command. --help shows all'],
    ['sel cup', 'shop: no command is called "sel"; did you mean "sell"? --help shows all'],
    ['stock cuont', 'shop stock: no command is called "cuont"; did you mean "count"? --help shows all'],
    ['toString', 'shop: no command is called "toString". --help shows all'],
    ['sell', 'shop sell: THING is missing. --help shows all'],
    ['sell a b c', 'shop sell: "c" is not understood here. --help shows all'],
    [
      'sell --pirce 3 a',
      'shop sell: no option is called "--pirce"; did you mean "--price"? --help shows all',
    ],
    ['sell --toString a', 'shop sell: no option is called "--toString". --help shows all'],
    ['sell a --price', 'shop sell: --price needs a value: --price N. --help shows all'],
    ['sell a --price --json2', 'shop sell: --price needs a value: --price N. --help shows all'],
    ['sell a --price=', 'shop sell: --price needs a value: --price N. --help shows all'],
    ['sell a --no-wrap=1', 'shop sell: --no-wrap takes no value. --help shows all'],
    [
      'sell a --colour blu',
      'shop sell: --colour is one of red, blue, not "blu"; did you mean "blue"? --help shows all',
    ],
  ])('refuses "%s" with status 2 in one line', async (args, line) => {
    expect(await run(args)).toEqual({ status: 2, out: '', err: `${line}\n` });
    expect(calls).toEqual([]);
  });

  it('tells an error as JSON to who asked for JSON', async () => {
    const { status, out, err } = await run('sell --json');
    expect({ status, err, told: JSON.parse(out) }).toEqual({
      status: 2,
      err: '',
      told: { sold: null, error: 'THING is missing. --help shows all' },
    });
  });

  it('takes a lone - for an operand or a value', async () => {
    await run('sell - --price -');
    expect(calls).toMatchObject([{ operands: ['-'], values: { price: '-' } }]);
  });

  it.each([
    [
      { npm_lifecycle_event: 'sell', npm_config_wrap: '' },
      'shop sell: npm kept --no-wrap for itself; put -- before the options: npm run sell -- --no-wrap.',
    ],
    [
      { npm_lifecycle_event: 'sell', npm_config_json: 'true', npm_config_price: '3' },
      'shop sell: npm kept --price 3 and --json for itself; put -- before the options: npm run sell -- --price 3 --json.',
    ],
  ])('notices options that npm swallowed: %j', async (env, line) => {
    expect(await run('sell cup', env)).toMatchObject({ status: 2, err: `${line}\n`, out: '' });
  });

  it.each([
    { npm_lifecycle_event: 'test', npm_config_price: '3' },
    { npm_config_price: '3' },
    { npm_lifecycle_event: 'sell', npm_config_wrap: 'true', npm_config_json: '' },
  ])('does not mistake other settings of npm for options: %j', async (env) => {
    expect((await run('sell cup', env)).status).toBe(1);
  });

  it('explains a group and a command', async () => {
    expect((await run('--help')).out).toMatch(/^ {2}sell {3}sells things$/m);
    const { status, out } = await run('sell --help');
    expect(status).toBe(0);
    expect(out).toContain('  shop sell [options] THING [PLACE]\n');
    expect(out).toMatch(/^ {2}--price N {6}what it costs \(1\)$/m);
    expect(out).toMatch(/^ {2}--tag TEXT {5}a label; may be repeated$/m);
    expect(out).toMatch(/^ {2}--colour TEXT {2}of the paper: red, blue$/m);
  });

  it('completes commands, options and values', () => {
    const script = completionOf({ name: 'shop', root, shell: 'bash' });
    expect(script).toContain("'stock') COMPREPLY=($(compgen -W 'count'");
    expect(script).toContain("'sell|--colour') COMPREPLY=($(compgen -W 'red blue'");
    expect(script).toContain("'sell|--list') COMPREPLY=($(compgen -f");
    expect(completionOf({ name: 'shop', root, shell: 'zsh' })).toMatch(/^autoload -Uz bashcompinit/);
    const fish = completionOf({ name: 'shop', root, shell: 'fish' });
    expect(fish).toContain("complete -c shop -n '__shop_at sell' -l colour -r -f -a 'red blue'");
    expect(fish).toContain("complete -c shop -n '__shop_at' -f -a sell -d 'sells things'");
  });
});

describe('what a person may have meant', () => {
  it.each([
    ['--no-tuor', ['--no-tour', '--data'], '--no-tour'],
    ['xx', ['sell'], undefined],
    ['EXPIRED', ['leaf-expired', 'other'], 'leaf-expired'],
    ['ab', ['abcdef'], undefined],
    ['staus', ['start', 'status'], 'status'],
  ])('%s among %j is %s', (typed, known, meant) => {
    expect(nearest(typed, known)).toBe(meant);
  });
});

describe('text on a narrow terminal', () => {
  it('is broken between words only', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('one two three', 6)).toEqual(['one', 'two', 'three']);
    expect(wrap('a https://localhost:8443/accounts b', 10, '  ')).toEqual([
      '  a',
      '  https://localhost:8443/accounts',
      '  b',
    ]);
  });

  it('puts what a thing is beneath its name where both do not fit', () => {
    const rows = [
      { name: 'a', what: 'first' },
      { name: 'bcd', what: 'second one' },
    ];
    expect(list(rows, { width: 17 })).toEqual(['  a    first', '  bcd  second one']);
    expect(list(rows, { width: 16 })).toEqual(['  a', '      first', '  bcd', '      second one']);
  });
});
