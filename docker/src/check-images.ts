// npm run images: builds the five images, and runs them as a cluster would. The last line is "N passed, N failed".
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createDatabase } from '@kontoport/database';
import { freePorts } from '@kontoport/embedded/port';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { mintCa } from '@kontoport/issuing';
import { servicesOf } from './bundle.ts';
import { type Engine, importBase, openEngine } from './engine.ts';

const ROOT = join(import.meta.dirname, '../..');
const BASE = 'kontoport/base:check';
const MAX_COMPRESSED = 15e6;
const LIMIT_MS = 120_000;
const POLL_MS = 250;
/** As a restricted namespace runs it. */
const RESTRICTED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--pids-limit=200'];

const tag = (service: string): string => `kontoport/${service}:check`;

const counts = { passed: 0, failed: 0 };
function check(title: string, holds: boolean, seen: unknown = ''): void {
  counts[holds ? 'passed' : 'failed'] += 1;
  console.log(`  ${holds ? '✓' : '✗'} ${title}${holds ? '' : `: ${JSON.stringify(seen).slice(0, 2_000)}`}`);
}

function buildImage(engine: Engine, service: string, base: string, ...more: string[]): string {
  const given = { BASE_IMAGE: base, SERVICE: service, REVISION: 'check', SOURCE_DATE_EPOCH: '0' };
  const args = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  engine.demand(
    [
      'build',
      '--quiet',
      '--network=host',
      '-f',
      join(ROOT, 'docker/Dockerfile'),
      ...args,
      ...more,
      '-t',
      tag(service),
      ROOT,
    ],
    { DOCKER_BUILDKIT: '1' },
  );
  return engine.demand(['image', 'inspect', '--format', '{{.Id}}', tag(service)]).trim();
}

interface Inspected {
  Config: {
    User: string;
    Entrypoint: string[];
    Labels: Record<string, string>;
    Healthcheck: { Test: string[] };
    ExposedPorts: Record<string, unknown>;
  };
}

/** What an image says of itself, and what it weighs. */
function checkImage(engine: Engine, service: string, base: string): void {
  const [{ Config: config }] = JSON.parse(engine.demand(['image', 'inspect', tag(service)])) as [Inspected];
  check(`${service} runs as 10001:10001`, config.User === '10001:10001', config.User);
  check(
    `${service} gets the signals itself`,
    config.Entrypoint.join(' ') === 'node /app/main.mjs',
    config.Entrypoint,
  );
  check(
    `${service} is asked how it is`,
    config.Healthcheck.Test.includes('/app/health.mjs'),
    config.Healthcheck,
  );
  const labels = ['title', 'version', 'revision', 'created', 'source', 'licenses'].map(
    (name) => config.Labels[`org.opencontainers.image.${name}`],
  );
  check(`${service} is labelled`, labels.every(Boolean) && labels[0] === `kontoport/${service}`, labels);
  const bytes = ownLayers(engine, service, base);
  check(`${service} adds ${(bytes / 1e6).toFixed(1)} MB, of at most 15`, bytes < MAX_COMPRESSED, bytes);

  const unset = engine.docker(['run', '--rm', '--network=none', ...RESTRICTED, tag(service)]);
  const names = unset.stderr.match(/^ {2}[A-Z_]+: missing$/gm) ?? [];
  check(
    `${service} names all that is missing, and ends with 1`,
    unset.status === 1 && names.length > 5,
    unset.stderr,
  );
  const words = engine.docker(['run', '--rm', '--network=none', ...RESTRICTED, tag(service), 'migrat']);
  check(`${service} refuses other words with 2`, words.status === 2, words.stderr);
}

/** Bytes of the layers above the base, compressed. */
function ownLayers(engine: Engine, service: string, base: string): number {
  const layersOf = (name: string): string[] =>
    JSON.parse(engine.demand(['image', 'inspect', '--format', '{{json .RootFS.Layers}}', name])) as string[];
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-image-'));
  try {
    const file = join(folder, 'image.tar');
    engine.demand(['save', '-o', file, tag(service)]);
    const tar = readFileSync(file);
    const manifest = JSON.parse(memberOf(tar, 'manifest.json').toString()) as [{ Layers: string[] }];
    const own = manifest[0].Layers.slice(layersOf(base).length);
    return own.reduce((sum, name) => sum + compressed(memberOf(tar, name)).length, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const compressed = (layer: Buffer): Buffer =>
  gzipSync(layer[0] === 0x1f && layer[1] === 0x8b ? gunzipSync(layer) : layer);

/** A file of a tar archive, by its name. */
function memberOf(tar: Buffer, wanted: string): Buffer {
  for (let at = 0; at + 512 <= tar.length;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name === wanted) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`${wanted} is not in the image`);
}

/** registration needs nothing but its database: its image lives a whole life. */
async function checkLife(engine: Engine): Promise<void> {
  const [service, name] = ['registration', `kontoport-check-${process.pid}`];
  const [http, grpc, ops] = await freePorts(3);
  const anchors = mkdtempSync(join(tmpdir(), 'kontoport-anchors-'));
  chmodSync(anchors, 0o755);
  const authority = await mintCa({ name: 'Check CA', at: new Date() });
  writeFileSync(join(anchors, 'root.pem'), authority.certificatePem);
  const postgres = await startPostgres();
  try {
    const url = await createDatabase(postgres.url, `images_${process.pid}`);
    const run = [...RESTRICTED, '--network=host', '-e', `DATABASE_URL=${url}`];
    const first = engine.docker(['run', '--rm', ...run, tag(service), 'migrate']);
    check(
      'migrate applies the migrations and prints them',
      first.status === 0 && /^\d{14}_init$/m.test(first.stdout),
      first,
    );
    const again = engine.docker(['run', '--rm', ...run, tag(service), 'migrate']);
    check('migrate applies them once', again.stdout === 'nothing is pending\n', again);
    const variables = {
      ENVIRONMENT: 'sandbox',
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: String(http),
      GRPC_PORT: String(grpc),
      OPS_PORT: String(ops),
      TRUST_ANCHORS: '/anchors',
      EDGE_ADDRESSES: '127.0.0.1',
      EDGE_SECRET: 'x'.repeat(32),
      REGISTRATION_GRPC: `127.0.0.1:${grpc}`,
      AUTH_JWKS_URL: 'http://127.0.0.1:1',
      TOKEN_ISSUER: 'https://auth.bank.test',
      CLIENT_SECRET_PEPPER: Buffer.alloc(32).toString('base64url'),
    };
    const environment = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    const health = ['--health-interval=1s', '--health-start-period=60s'];
    const mount = ['-v', `${anchors}:/anchors:ro`];
    engine.demand(['run', '-d', '--name', name, ...run, ...mount, ...environment, ...health, tag(service)]);
    const state = (format: string): string => engine.demand(['inspect', '--format', format, name]).trim();
    const ready = await eventually(async () => (await fetch(`http://127.0.0.1:${ops}/readyz`)).ok);
    check(
      'it is ready, without capabilities on a file system that is read only',
      ready,
      engine.docker(['logs', name]),
    );
    check('it is found healthy', await eventually(() => state('{{.State.Health.Status}}') === 'healthy'));
    engine.demand(['stop', '--time=30', name]);
    const stopped = `${state('{{.State.ExitCode}}')} ${engine.docker(['logs', name]).stdout.includes('"msg":"stopped"')}`;
    check('it drains on SIGTERM and ends with 0', stopped === '0 true', stopped);
  } finally {
    engine.docker(['rm', '-f', name]);
    await postgres.stop();
    rmSync(anchors, { recursive: true, force: true });
  }
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      if (await holds()) return true;
    } catch {
      // nobody answers yet
    }
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
}

async function main(): Promise<void> {
  const engine = await openEngine();
  try {
    const base = process.env.BASE_IMAGE ?? BASE;
    if (base === BASE) importBase(engine, BASE);
    for (const service of servicesOf(ROOT)) {
      const started = performance.now();
      const id = buildImage(engine, service, base);
      console.log(`${service} ${id} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
      checkImage(engine, service, base);
    }
    const id = (): string => engine.demand(['image', 'inspect', '--format', '{{.Id}}', tag('auth')]).trim();
    const before = id();
    buildImage(engine, 'auth', base, '--no-cache-filter=bundles,image');
    check('the same sources make the same image', id() === before, [before, id()]);
    await checkLife(engine);
  } finally {
    await engine.stop();
  }
}

await main().catch((error: unknown) => check('the images are built and run', false, String(error)));
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
