import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

/** Runs a module of this source in a world of its own. */
async function run(code: string): Promise<Record<string, unknown>> {
  const module = new vm.SourceTextModule(code, { context: vm.createContext() });
  await module.link(() => {
    throw new Error('imports nothing');
  });
  await module.evaluate();
  return module.namespace as Record<string, unknown>;
}

const sum = (code: string): unknown =>
  (
    vm.compileFunction(code, ['a', 'b'], { parsingContext: vm.createContext() }) as (
      ...args: number[]
    ) => unknown
  )(2, 3);

const WITH = '--stack-trace-limit=11';
const WITHOUT = '--stack-trace-limit=10';

describe('what is compiled once for all test files of a worker', () => {
  afterEach(() => setFlagsFromString(WITHOUT));

  it('is each time another module, of a state of its own', async () => {
    const code = 'export const list = []; export let times = 0; export const more = () => { times += 1; };';
    const [one, other] = [await run(code), await run(code)];
    (one.more as () => void)();
    expect([one.times, other.times]).toEqual([1, 0]);
    expect(one.list).not.toBe(other.list);
  });

  it('is of its very source, not of another one that is as long', async () => {
    const values: unknown[] = [];
    for (const value of [1, 2, 1, 2]) values.push((await run(`export const value = ${value};`)).value);
    expect(values).toEqual([1, 2, 1, 2]);
    expect(['return a + b', 'return a - b', 'return a + b', 'return a - b'].map(sum)).toEqual([5, -1, 5, -1]);
  });

  it('imports later what its own world has', async () => {
    const code = "export const later = () => import('./world.js');";
    const body = "return import('./world.js');";
    const worlds = [];
    for (const name of ['one', 'other']) {
      const context = vm.createContext();
      const importModuleDynamically = async (): Promise<vm.Module> => {
        const world = new vm.SyntheticModule(['name'], () => world.setExport('name', name), { context });
        await world.link(() => world);
        await world.evaluate();
        return world;
      };
      const module = new vm.SourceTextModule(code, { context, importModuleDynamically });
      await module.link(() => module);
      await module.evaluate();
      const { later } = module.namespace as { later: () => Promise<unknown> };
      const options = { parsingContext: context, importModuleDynamically };
      const called = vm.compileFunction(body, [], options) as () => Promise<unknown>;
      worlds.push(await later(), await called());
    }
    expect(worlds).toMatchObject(['one', 'one', 'other', 'other'].map((name) => ({ name })));
  });

  it('is of the names that a function is given', () => {
    const code = 'return a - b;';
    const [straight, crossed] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((names) => vm.compileFunction(code, names) as (...args: number[]) => unknown);
    expect([straight!(5, 3), crossed!(5, 3)]).toEqual([2, -2]);
  });

  it('is compiled anew after a test has set flags of V8, as often as one does', async () => {
    const values: unknown[] = [];
    for (const flags of [WITH, WITHOUT, WITH]) {
      for (let i = 0; i < 2; i += 1)
        values.push((await run('export const flagged = 1;')).flagged, sum('return a * b'));
      setFlagsFromString(flags);
    }
    values.push((await run('export const flagged = 1;')).flagged, sum('return a * b'));
    expect(values).toEqual(Array.from({ length: 7 }, () => [1, 6]).flat());
  });

  it('refuses what cannot be compiled with the fault of its source', async () => {
    await expect(run('export const = 1;')).rejects.toThrow("Unexpected token '='");
    expect(() => sum('return )')).toThrow("Unexpected token ')'");
  });
});
