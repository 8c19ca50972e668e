import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleArguments } from '@kontoport/embedded/node-process';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import { runSql, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { bundleAll, PORTAL } from '../src/bundle.ts';
import { type Collector, startCollector } from './collector.ts';

/** Milliseconds for bundling and for one run of the stack, on a busy machine. */
const LIMIT_MS = 300_000;

/** Licences whose only condition is that their text comes along; LICENSES.txt contains it. */
const PERMISSIVE = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '(Apache-2.0 AND BSD-3-Clause)',
]);

let folder: string;
let services: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-bundles-'));
  services = (await bundleAll(join(folder, 'made'))).filter((name) => name !== PORTAL);
}, LIMIT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inBundle = (service: string, ...path: string[]): string => join(folder, 'made', service, ...path);

/** Runs the program of a service's image with the given environment only. */
async function run(service: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...bundleArguments(service, join(folder, 'made')), ...args], {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...said };
}

describe('the bank runs on bundles as it does on sources', () => {
  let collector: Collector;
  let tour: Awaited<ReturnType<typeof kontoport>>;
  const logOf = (service: string): string =>
    readFileSync(join(folder, 'data/logs', `${service}.log`), 'utf8');
  beforeAll(async () => {
    collector = await startCollector();
    const { DATABASE_URL: _database, KAFKA_BROKERS: _brokers, ...env } = process.env;
    const ports = ['base', 'registration', 'auth', 'user'].flatMap((address) => [`--${address}-port`, '0']);
    const [made, data] = [join(folder, 'made'), join(folder, 'data')];
    tour = await kontoport(['start', '--exit-after-tour', '--bundles', made, '--data', data, ...ports], {
      env: {
        ...env,
        SETTLEMENT_DELAY: '500ms',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '200',
      },
    });
  }, LIMIT_MS);
  afterAll(() => collector.close());

  it('through the whole tour', () => {
    expect(tour.status === 0 ? '' : `${tour.stdout.slice(-3_000)}${tour.stderr}`).toBe('');
    expect(tour.stdout).toContain('The tour is complete');
  });

  it('until SIGTERM, which drains each service', () => {
    expect(services).toHaveLength(5);
    for (const service of services) {
      const last = logOf(service).trimEnd().split('\n').at(-1)!;
      expect([service, JSON.parse(last)]).toEqual([service, expect.objectContaining({ msg: 'stopped' })]);
    }
  });

  it('with traces of HTTP, gRPC and SQL', () => {
    expect(collector.about('payments')).toEqual(expect.arrayContaining(['http', 'rpc']));
    expect(collector.about('account-information')).toEqual(expect.arrayContaining(['db', 'rpc']));
    expect(collector.about('webhook-dispatcher')).toEqual(expect.arrayContaining(['http', 'db']));
  });
});

describe('the portal', () => {
  it('serves the pages for developers without database, Kafka and services', async () => {
    const [port, ops] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, bundleArguments(PORTAL, join(folder, 'made')), {
      env: {
        ENVIRONMENT: 'sandbox',
        HTTP_PORT: String(port),
        OPS_PORT: String(ops),
        BRAND_NAME: 'Nordhavn',
        PUBLIC_URLS: 'https://a.test,https://b.test,https://c.test,https://d.test',
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const get = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } });
    try {
      await until(
        () =>
          fetch(`http://127.0.0.1:${ops}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        {
          timeout: LIMIT_MS,
          what: 'the portal',
        },
      );
      for (const path of ['/', '/guides/first-call', '/documentation?q=cursor', '/errors']) {
        const answer = await get(path);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(await answer.text()).toContain('<span>Nordhavn</span>');
      }
      expect(await (await get('/guides/first-call')).text()).toContain('https://a.test/accounts');
      expect((await get('/accounts')).status).toBe(404);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});

describe('the program of an image', () => {
  const migrations = (service: string): string[] =>
    readdirSync(inBundle(service, 'prisma/migrations'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();

  it('says everything that is wrong with its configuration at once, and ends with 1', async () => {
    const { status, stdout, stderr } = await run('registration', [], { OPS_PORT: 'many' });
    expect([status, stdout]).toEqual([1, '']);
    const faults = stderr.split('\n').map((line) => line.trim().split(':')[0]);
    expect(faults).toEqual(
      expect.arrayContaining([
        'registration',
        'ENVIRONMENT',
        'OPS_PORT',
        'DATABASE_URL',
        'CLIENT_SECRET_PEPPER',
      ]),
    );
  });

  it('names a place in our sources where it fails', async () => {
    // A server that cannot listen: the top of its stack is the caller.
    const broken = `import { Server } from 'node:net';
      Server.prototype.listen = function listen() { const e = new Error('no'); Error.captureStackTrace(e, listen); throw e; };`;
    const variables = {
      ENVIRONMENT: 'sandbox',
      HTTP_PORT: '0',
      OPS_PORT: '0',
      GRPC_PORT: '0',
      TRUST_ANCHORS: folder,
      EDGE_ADDRESSES: '127.0.0.1',
      EDGE_SECRET: 'x'.repeat(32),
      REGISTRATION_GRPC: '127.0.0.1:1',
      AUTH_JWKS_URL: 'http://127.0.0.1:1',
      TOKEN_ISSUER: 'https://auth.bank.test',
      DATABASE_URL: 'postgres://127.0.0.1:1/x',
      CLIENT_SECRET_PEPPER: Buffer.alloc(32).toString('base64url'),
      KAFKA_BROKERS: '127.0.0.1:1',
      NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(broken).toString('base64')}`,
    };
    const { status, stdout } = await run('registration', [], variables);
    expect(status).toBe(1);
    expect(stdout).toMatch(/startOpsServer \(.*\/registration\/libs\/lifecycle\/src\/ops-server\.ts:\d+:\d+/);
  });

  describe('migrate', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await testDatabase();
    });
    afterAll(() => database.drop());

    it('applies the migrations of the service and prints their names, once', async () => {
      const env = { DATABASE_URL: database.url };
      const names = migrations('payments');
      expect(names.length).toBeGreaterThan(0);
      expect(await run('payments', ['migrate'], env)).toEqual({
        status: 0,
        stdout: `${names.join('\n')}\n`,
        stderr: '',
      });
      expect(await run('payments', ['migrate'], env)).toMatchObject({
        status: 0,
        stdout: 'nothing is pending\n',
      });
    });

    it('says in the words of the database what failed, and ends with 1', async () => {
      await runSql(database.url, 'DROP TABLE _prisma_migrations');
      const stderr = `migrate: ${migrations('payments')[0]}: relation "draft" already exists\n`;
      expect(await run('payments', ['migrate'], { DATABASE_URL: database.url })).toEqual({
        status: 1,
        stdout: '',
        stderr,
      });
      expect(await run('payments', ['migrate'])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('DATABASE_URL: missing'),
      });
    });
  });

  describe('reseal', () => {
    it('seals the secrets of a service that has some with its first key', async () => {
      const database = await testDatabase('auth');
      const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64url');
      try {
        expect(await run('auth', ['reseal'], { DATABASE_URL: database.url, SECRETS_KEY })).toEqual({
          status: 0,
          stdout:
            'signing keys: 0 looked at, 0 re-sealed\nroot keys: 0 looked at, 0 re-sealed\neverything is sealed with the first key\n',
          stderr: '',
        });
      } finally {
        await database.drop();
      }
      expect(await run('payments', ['reseal'])).toEqual({
        status: 0,
        stdout: 'this service seals nothing in its database\n',
        stderr: '',
      });
      expect(await run('auth', ['reseal'])).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^reseal: [^]*SECRETS_KEY: missing/),
      });
    });
  });

  it.each([[['migrat']], [['migrate', 'payments']]])('refuses other words: %j', async (words) => {
    const { status, stdout, stderr } = await run('payments', words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('docker run IMAGE migrate');
  });
});

describe('a bundle', () => {
  it('names every package that is in it, with its licence', () => {
    const { metadata, components } = JSON.parse(readFileSync(inBundle('auth', 'sbom.cdx.json'), 'utf8')) as {
      metadata: { component: { name: string; version: string } };
      components: { name: string; group?: string; version: string; purl: string; licenses: unknown[] }[];
    };
    expect(metadata.component).toMatchObject({ group: 'kontoport', name: 'auth' });
    const all = components.map(({ purl }) => purl);
    expect(all).toEqual([...new Set(all)]);
    const purls = all.map((purl) => purl.replace(/@[^@]*$/, ''));
    // In the bundle, copied beside it, and a dependency of that.
    for (const name of ['zod', 'jose', 'pino', '%40prisma/client', 'pg', 'pg-pool', '%40grpc/grpc-js'])
      expect(purls).toContain(`pkg:npm/${name}`);
    // A package of another service, and tools.
    for (const name of ['esbuild', 'jest', 'prisma', 'typescript'])
      expect(purls).not.toContain(`pkg:npm/${name}`);
    const texts = readFileSync(inBundle('auth', 'LICENSES.txt'), 'utf8');
    for (const { name, group, version, licenses } of components) {
      expect(licenses).toHaveLength(1);
      expect(texts).toContain(`\n${group === undefined ? '' : `${group}/`}${name} ${version} (`);
    }
  });

  it('contains packages with permissive licences only', () => {
    const others = services.flatMap((service) => {
      const { components } = JSON.parse(readFileSync(inBundle(service, 'sbom.cdx.json'), 'utf8')) as {
        components: { purl: string; licenses: { license?: { id: string }; expression?: string }[] }[];
      };
      return components.filter(
        ({ licenses: [licence] }) => !PERMISSIVE.has(licence?.license?.id ?? licence?.expression ?? ''),
      );
    });
    expect(others).toEqual([]);
  });

  it('is the same whenever it is made of the same', async () => {
    const again = join(folder, 'again');
    await bundleAll(again, ['registration']);
    const read = (base: string): Record<string, string> =>
      Object.fromEntries(
        readdirSync(base, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => [
            join(parentPath, name).slice(base.length),
            readFileSync(join(parentPath, name), 'latin1'),
          ]),
      );
    expect(read(join(again, 'registration'))).toEqual(read(inBundle('registration')));
  });

  it('holds no source, no test and nothing that only others need', () => {
    const files = readdirSync(inBundle('payments'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.ts$|(^|\/)(test|tests)(\/|$)|\.test\./.test(file))).toEqual([]);
    expect(existsSync(inBundle('payments', 'node_modules/@grpc/proto-loader'))).toBe(false);
    expect(readFileSync(inBundle('payments', 'main.mjs'), 'utf8')).not.toContain(process.cwd());
  });
});
