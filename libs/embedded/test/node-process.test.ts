import { text } from 'node:stream/consumers';
import { startNode } from '../src/node-process.ts';

const cacheOf = async (env: Record<string, string>): Promise<string> => {
  const { child, ended } = startNode({
    args: ['-p', 'require("node:module").getCompileCacheDir() ?? "none"'],
    env: { PATH: process.env.PATH, ...env },
    cwd: process.cwd(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said = await text(child.stdout!);
  expect(await ended).toEqual({ code: 0, signal: null });
  return said.trim();
};

describe('a Node process', () => {
  it('keeps its compile cache beside the packages', async () => {
    expect(await cacheOf({})).toMatch(/node_modules\/\.cache\/node-compile\//);
  });

  it('uses the compile cache of the environment', async () => {
    expect(await cacheOf({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('none');
  });
});
