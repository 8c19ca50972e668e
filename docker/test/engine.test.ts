import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { missingForCluster } from '../src/cluster-needs.ts';
import { missingForImages } from '../src/engine.ts';
import { missingForLocalImages } from '../src/local-images.ts';

describe('a machine that cannot run containers', () => {
  const before = { PATH: process.env.PATH, DOCKER_HOST: process.env.DOCKER_HOST };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kontoport-commands-'));
    process.env.PATH = folder;
    delete process.env.DOCKER_HOST;
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(folder, { recursive: true, force: true });
  });

  /** A fake `docker` that accepts these commands and fails for others. */
  function addDocker(...known: string[]): void {
    const file = join(folder, 'docker');
    writeFileSync(file, `#!/bin/sh\ncase "$1" in ${known.join('|')}) exit 0 ;; *) exit 1 ;; esac\n`);
    chmodSync(file, 0o755);
    process.env.PATH = `${folder}${delimiter}${join(folder, 'none')}`;
  }

  it.each([
    { has: [], lacks: 'no docker command with buildx 0.13 or newer' },
    { has: ['compose'], lacks: 'no docker command with buildx 0.13 or newer' },
    { has: ['buildx'], lacks: 'no docker command with compose 2.26 or newer' },
    { has: ['buildx', 'compose'], lacks: 'no container engine: none answers "docker info"' },
    { has: ['buildx', 'compose', 'info'], lacks: 'BASE_IMAGE is not set' },
  ])('is told so: with $has', ({ has, lacks }) => {
    if (has.length > 0) addDocker(...has);
    expect(missingForImages()).toContain(process.platform === 'linux' ? lacks : 'not Linux');
  });

  it('is not helped by an engine of our own where DOCKER_HOST names one that does not answer', () => {
    addDocker('buildx', 'compose');
    const dockerd = join(folder, 'dockerd');
    writeFileSync(dockerd, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    process.env.DOCKER_HOST = 'unix:///nowhere.sock';
    expect(missingForImages()).toContain(process.platform === 'linux' ? 'no container engine' : 'not Linux');
  });

  it('is told each program that lacks for a node of Kubernetes, and whence it comes', () => {
    process.env.BASE_IMAGE = 'node:24-slim';
    addDocker('buildx', 'compose', 'info');
    const asRoot =
      process.getuid?.() === 0
        ? 'no nft (nftables); no containerd (containerd); no ctr (containerd); no runc (runc)'
        : 'not root';
    try {
      expect(missingForCluster()).toContain(process.platform === 'linux' ? asRoot : 'not Linux');
    } finally {
      delete process.env.BASE_IMAGE;
    }
  });

  it('names what is missing to build an image locally, unless the image is given', () => {
    expect(missingForLocalImages(['KAFKA_IMAGE'])).toContain('Java 17 or newer');
    process.env.KAFKA_IMAGE = 'apache/kafka:4.3.1';
    try {
      expect(missingForLocalImages(['KAFKA_IMAGE', 'BASE_IMAGE'])).toBeUndefined();
    } finally {
      delete process.env.KAFKA_IMAGE;
    }
  });
});
