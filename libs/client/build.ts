// node libs/client/build.ts: writes the package that is published to dist: JavaScript, types, README, licence and manifest.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
const DIST = join(HERE, 'dist');

const { name, version } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as Record<
  string,
  string
>;
const manifest = {
  name,
  version,
  description: 'Client of Kontoport, a PSD2 interface of banks, for third party providers.',
  license: 'Apache-2.0',
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  sideEffects: false,
  engines: { node: '>=20.3' },
};

rmSync(DIST, { recursive: true, force: true });
execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(HERE, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
// The types have no code.
for (const file of ['gen/openapi.js', 'operations.js']) rmSync(join(DIST, file));
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'));
copyFileSync(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'));
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
