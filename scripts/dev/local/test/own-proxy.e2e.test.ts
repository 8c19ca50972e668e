import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { kontoport } from '@kontoport/testing/kontoport';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';
import { register } from './tpp-app.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((file) => existsSync(file));
const RECIPE = join(import.meta.dirname, '../../../../docs/edge/nginx.conf');
const missing = NGINX === undefined ? 'no nginx: install nginx-light' : undefined;

/** Fills in the values that docs/edge/README.md asks for, from `stack.json`. */
function fillIn(recipe: string, { proxy, ...stack }: StackFile): string {
  const addresses = {
    BASE: stack.baseUrl,
    REGISTRATION: stack.registrationUrl,
    AUTH: stack.authUrl,
    USER: stack.userUrl,
  };
  const values: Record<string, string> = {
    SERVER_CERTIFICATE: proxy!.serverCertificate,
    SERVER_KEY: proxy!.serverKey,
    EDGE_SECRET: readFileSync(proxy!.secretFile, 'utf8').trim(),
  };
  for (const [name, url] of Object.entries(addresses)) {
    values[`${name}_HOST`] = '127.0.0.1';
    values[`${name}_PORT`] = new URL(url).port;
  }
  for (const [name, upstream] of Object.entries(proxy!.upstreams))
    [values[`${name}_HOST`], values[`${name}_PORT`]] = upstream.split(':') as [string, string];
  return recipe.replaceAll(/@([A-Z_]+)@/g, (whole, name: string) => values[name] ?? whole);
}

describeWith('npm start -- --edge none', { missing }, () => {
  const { data, start } = useStack('test', { EDGE_FORMAT: 'nginx' });
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kontoport-own-proxy-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'prints the settings of nginx; a TPP registers through the configuration of docs/edge',
    async () => {
      const stack = start('--edge', 'none');
      const content = await stack.ready();
      await until(() => stack.output().includes('Ctrl-C stops'), { what: 'the printed values' });
      for (const [name, upstream] of Object.entries(content.proxy!.upstreams))
        expect(stack.output()).toMatch(new RegExp(`${name} +${upstream}`));
      expect(stack.output()).toMatch(/EDGE_FORMAT +nginx/);
      expect(stack.output()).not.toContain(readFileSync(content.proxy!.secretFile, 'utf8').trim());

      writeFileSync(join(folder, 'nginx.conf'), fillIn(readFileSync(RECIPE, 'utf8'), content));
      const nginx = spawn(
        NGINX!,
        ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'],
        { stdio: 'ignore' },
      );
      try {
        await until(() => existsSync(join(folder, 'nginx.pid')), { what: 'nginx' });
        const mine = join(data(), 'mine');
        const minted = await kontoport(['qwac', 'mint', '--data', data(), '--out', mine]);
        expect(minted).toMatchObject({ status: 0 });
        const [chainPem, keyPem] = ['chain.pem', 'key.pem'].map((file) =>
          readFileSync(join(mine, file), 'utf8'),
        );
        const qwac = { chainPem: chainPem!, keyPem: keyPem! };
        expect(await register(content, qwac)).toMatchObject({ status: 201, clientId: expect.any(String) });
        expect(await register(content)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_MISSING' });
      } finally {
        nginx.kill('SIGKILL');
        await once(nginx, 'close');
      }
    },
    2 * LIMIT_MS,
  );
});
