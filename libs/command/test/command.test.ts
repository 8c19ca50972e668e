import { jest } from '@jest/globals';
import { CliCommand, exits, list, Option, repeated, runCommandLine, wrap } from '../src/index.ts';

const calls: unknown[] = [];
const sell = new CliCommand('sell', { sold: null })
  .summary('sells things')
  .description('Sells things.')
  .argument('<THING>')
  .argument('[PLACE]')
  .option('--no-wrap', 'as it is')
  .option('--price <N>', 'what it costs', '1')
  .option('--tag <TEXT>', 'a label; may be repeated', repeated)
  .addOption(new Option('--colour <TEXT>', 'of the paper').choices(['red', 'blue']))
  .option('--json', 'as JSON')
  .action(
    exits(async (thing: string, place: string | undefined, options: Record<string, unknown>) => {
      calls.push({ thing, place, options });
      return 1;
    }),
  );
const shop = new CliCommand('shop')
  .addCommand(sell)
  .addCommand(new CliCommand('stock').addCommand(new CliCommand('count').action(exits(async () => 0))));

describe('a command line', () => {
  const run = async (args: string, env: NodeJS.ProcessEnv = {}) => {
    const said = { out: '', err: '' };
    jest.spyOn(console, 'log').mockImplementation((text: string) => void (said.out += `${text}\n`));
    jest.spyOn(console, 'error').mockImplementation((text: string) => void (said.err += `${text}\n`));
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said.out += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((said.err += String(text)), true));
    await runCommandLine(shop, { args: args.split(' ').filter((word) => word !== ''), env });
    jest.restoreAllMocks();
    const status = Number(process.exitCode ?? 0);
    process.exitCode = undefined;
    return { status, ...said };
  };
  beforeEach(() => calls.splice(0));

  it('passes values to an action, the last of several, and uses its exit status', async () => {
    expect(await run('sell --no-wrap --price 2 --price=3 --tag a cup --tag b')).toEqual({
      status: 1,
      out: '',
      err: '',
    });
    expect(calls).toEqual([
      { thing: 'cup', place: undefined, options: { wrap: false, price: '3', tag: ['a', 'b'] } },
    ]);
  });

  it('passes arguments after -- unchanged', async () => {
    await run('sell -- --help');
    expect(calls).toMatchObject([{ thing: '--help' }]);
  });

  it.each([
    ['--nonsense', "shop: unknown option '--nonsense'. --help shows all"],
    ['sel cup', "shop: unknown command 'sel' (Did you mean sell?). --help shows all"],
    ['stock cuont', "shop stock: unknown command 'cuont' (Did you mean count?). --help shows all"],
    ['toString', "shop: unknown command 'toString'. --help shows all"],
    ['sell', "shop sell: missing required argument 'THING'. --help shows all"],
    [
      'sell a b c',
      "shop sell: too many arguments for 'sell'. Expected 2 arguments but got 3: a, b, c. --help shows all",
    ],
    ['sell --pirce 3 a', "shop sell: unknown option '--pirce' (Did you mean --price?). --help shows all"],
    ['sell a --price', "shop sell: option '--price <N>' argument missing. --help shows all"],
    ['sell a --price --no-wrap', 'shop sell: --price needs a value: --price <N>. --help shows all'],
    ['sell a --price=', 'shop sell: --price needs a value: --price <N>. --help shows all'],
    [
      'sell a --colour blu',
      "shop sell: option '--colour <TEXT>' argument 'blu' is invalid. Allowed choices are red, blue. --help shows all",
    ],
  ])('rejects "%s" with status 2 and one line', async (args, line) => {
    expect(await run(args)).toEqual({ status: 2, out: '', err: `${line}\n` });
    expect(calls).toEqual([]);
  });

  it('prints an error as JSON with --json', async () => {
    const { status, out, err } = await run('sell --json');
    expect({ status, err, told: JSON.parse(out) }).toEqual({
      status: 2,
      err: '',
      told: { sold: null, error: "missing required argument 'THING'. --help shows all" },
    });
  });

  it('accepts a lone - as an operand or a value', async () => {
    await run('sell - --price -');
    expect(calls).toMatchObject([{ thing: '-', options: { price: '-' } }]);
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
  ])('detects options that npm consumed: %j', async (env, line) => {
    expect(await run('sell cup', env)).toMatchObject({ status: 2, err: `${line}\n`, out: '' });
  });

  it.each([
    { npm_lifecycle_event: 'test', npm_config_price: '3' },
    { npm_config_price: '3' },
    { npm_lifecycle_event: 'sell', npm_config_wrap: 'true', npm_config_json: '' },
  ])('does not mistake other settings of npm for options: %j', async (env) => {
    expect((await run('sell cup', env)).status).toBe(1);
  });

  it('prints help on request and without a command, and for a group without a command with status 2', async () => {
    expect(await run('sell --help')).toMatchObject({ status: 0, err: '' });
    expect(await run('')).toMatchObject({ status: 0, out: expect.stringMatching(/^Usage: shop /), err: '' });
    expect(await run('stock')).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(/^Usage: shop /),
    });
  });
});

describe('text on a narrow terminal', () => {
  it('is wrapped at words only', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('one two three', 6)).toEqual(['one', 'two', 'three']);
    expect(wrap('a https://localhost:8443/accounts b', 10, '  ')).toEqual([
      '  a',
      '  https://localhost:8443/accounts',
      '  b',
    ]);
  });

  it('puts the description below the name when both do not fit', () => {
    const rows = [
      { name: 'a', what: 'first' },
      { name: 'bcd', what: 'second one' },
    ];
    expect(list(rows, { width: 17 })).toEqual(['  a    first', '  bcd  second one']);
    expect(list(rows, { width: 16 })).toEqual(['  a', '      first', '  bcd', '      second one']);
  });
});
