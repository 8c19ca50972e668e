import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

/** The versions that a file states, by a pattern with one group. */
const versionsIn = (path: string, pattern: RegExp): string[] => [
  ...new Set([...read(path).matchAll(pattern)].map(([, stated]) => stated!)),
];

describe('a release has one version', () => {
  it('in every workspace', () => {
    const manifests = globSync('{services,libs,scripts,docker,proto}/**/package.json', {
      cwd: ROOT,
      exclude: (name) => name === 'node_modules' || name === 'gen',
    });
    const others = manifests.filter((path) => {
      const { version: own } = JSON.parse(read(path)) as { version?: string };
      return own !== undefined && own !== version;
    });
    expect(others).toEqual([]);
  });

  it.each([
    {
      what: 'the lock file',
      path: 'package-lock.json',
      pattern: /^\{\s+"name": "kontoport",\s+"version": "([^"]+)"/g,
    },
    { what: 'the chart', path: 'charts/kontoport/Chart.yaml', pattern: /^(?:version|appVersion): (.+)$/gm },
    {
      what: "the chart's images",
      path: 'charts/kontoport/Chart.yaml',
      pattern: /image: kontoport\/[a-z-]+:(\S+)/g,
    },
    { what: 'the Dockerfile', path: 'docker/Dockerfile', pattern: /^ARG VERSION=(.+)$/gm },
    { what: 'the compose file', path: 'docker/compose.yaml', pattern: /KONTOPORT_VERSION:-([^}]+)\}/g },
  ])('in $what', ({ path, pattern }) => {
    expect(versionsIn(path, pattern)).toEqual([version]);
  });
});
