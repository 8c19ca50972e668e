import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretVariables } from '@kontoport/config';

const ROOT = join(import.meta.dirname, '../../..');
const SERVICES = readdirSync(join(ROOT, 'services'));

describe('every service', () => {
  it.each(SERVICES)('%s has the one shape: main, service, config, deps, app', (name) => {
    for (const file of ['main.ts', 'service.ts', 'config.ts', 'deps.ts', 'app.ts'])
      expect([file, existsSync(join(ROOT, 'services', name, 'src', file))]).toEqual([file, true]);
  });

  it.each(SERVICES)('%s has the walk over its routes, which refuses whoever proves too little', (name) => {
    const tests = globSync('test/**/*.test.ts', { cwd: join(ROOT, 'services', name) });
    const walks = tests.filter((file) =>
      readFileSync(join(ROOT, 'services', name, file), 'utf8').includes('describeRouteSecurity({'),
    );
    expect(walks).toHaveLength(1);
  });

  it.each(SERVICES)('%s takes every secret also from a file, and nothing that is none', async (name) => {
    const { config } = (await import(join(ROOT, 'services', name, 'src/config.ts'))) as {
      config: Parameters<typeof secretVariables>[0];
    };
    const secret = /(^|_)(SECRET|SECRETS_KEY|PEPPER|PASSWORD|DATABASE_URL)$/;
    expect(secretVariables(config)).toEqual(Object.keys(config).filter((variable) => secret.test(variable)));
  });
});
