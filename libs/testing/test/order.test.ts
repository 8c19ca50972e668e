import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Order, { type Tests } from '../jest/order.ts';

const root = join(import.meta.dirname, '../../..');
const files = globSync('{docker,services,libs,scripts}/**/*.test.ts', {
  cwd: root,
  exclude: (name) => name === 'node_modules',
}).toSorted();

/** What of a test file the order goes by. */
const context = {
  config: { cache: false, id: 'order' },
  hasteFS: { getSize: (path: string) => statSync(path).size },
};

const sorted = async (paths: string[]): Promise<string[]> => {
  const tests = paths.map((path) => ({ context, path: join(root, path) })) as unknown as Tests;
  const order = await new Order({} as never).sort(tests);
  return order.map(({ path }) => path.slice(root.length + 1));
};

const holds = (file: string, text: string): boolean => readFileSync(join(root, file), 'utf8').includes(text);

describe('the order of test files', () => {
  it('has all that runs in a browser after what makes and removes networks', async () => {
    const order = await sorted(files);
    const browsers = files.filter((file) => holds(file, 'launchChromium()') && file.includes('e2e'));
    const networks = files.filter(
      (file) => file.startsWith('docker/test/') && holds(file, 'describeCompose('),
    );
    expect([browsers.length, networks.length]).toEqual([2, 1]);
    expect(order.slice(0, 1)).toEqual(networks);
    expect(order.slice(-2).toSorted()).toEqual(browsers);
  });

  it('is Jest’s own for all others, the largest first', async () => {
    const others = (await sorted(files)).slice(1, -2);
    const sizes = others.map((file) => statSync(join(root, file)).size);
    expect(others.length).toBe(files.length - 3);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  });
});
