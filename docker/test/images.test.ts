import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { mintCa, mintQwac, type Qwac } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { buildImage, imageOf } from '../src/build-images.ts';
import { servicesOf } from '../src/bundle.ts';
import { type Engine, missingForImages, openEngine } from '../src/engine.ts';
import { imagesFor, missingForLocalImages } from '../src/local-images.ts';
import { type Collector, SERVER, startCollector } from './collector.ts';
import { COMPOSE_IMAGES, describeCompose } from './compose-suite.ts';
import { describeContainers } from './containers-suite.ts';
import { ownLayers } from './own-layers.ts';

const ROOT = join(import.meta.dirname, '../..');
const VERSION = '9.9.9-check';
const MAX_COMPRESSED = 15e6;
/** Milliseconds to install the packages and to bundle, on a busy machine. */
const BUILD_LIMIT_MS = 900_000;
/** Options that match a restricted namespace. */
const RESTRICTED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--pids-limit=200'];
const ALONE = ['run', '--rm', '--network=none', ...RESTRICTED];
/** Cache option of the second build: rebuilds everything, or all but the packages, which the lock file decides. */
const ANEW = process.env.IMAGES_FROM_NOTHING ? '--no-cache' : '--no-cache-filter=bundles,image';

interface Inspected {
  Config: {
    User: string;
    Entrypoint: string[];
    Labels: Record<string, string>;
    Healthcheck: { Test: string[] };
    ExposedPorts: Record<string, unknown>;
  };
}

const services = servicesOf(ROOT);
const tag = (service: string): string => imageOf(service, VERSION);
const report = (line: string): void => void process.stderr.write(`${line}\n`);

describeWith('images', { missing: missingForImages() }, () => {
  let engine: Engine;
  let base: string;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    engine = await openEngine();
    ({ BASE_IMAGE: base } = await imagesFor(engine, ['BASE_IMAGE']));
    for (const service of services)
      ids.set(service, await buildImage(engine, { service, version: VERSION, base }));
  }, BUILD_LIMIT_MS);
  afterAll(() => engine?.stop());

  describe.each(services)('the image of %s', (service) => {
    it('says who it is, gets the signals itself, is nobody and is asked how it is', async () => {
      const told = await engine.mustRun(['image', 'inspect', tag(service)]);
      const [{ Config: config }] = JSON.parse(told) as [Inspected];
      expect(config).toMatchObject({
        User: '10001:10001',
        Entrypoint: ['node', '--enable-source-maps', '--import', '/app/otel.mjs', '/app/main.mjs'],
        Healthcheck: { Test: ['CMD', 'node', '/app/health.mjs'] },
        Labels: {
          'org.opencontainers.image.title': `kontoport/${service}`,
          'org.opencontainers.image.version': VERSION,
          'org.opencontainers.image.revision': 'r1',
          'org.opencontainers.image.created': '1970-01-01T00:00:00Z',
          'org.opencontainers.image.source': 'kontoport',
          'org.opencontainers.image.licenses': 'Apache-2.0',
        },
      });
      expect(Object.keys(config.ExposedPorts).toSorted()).toEqual([
        '8080/tcp',
        '8081/tcp',
        '9000/tcp',
        '9090/tcp',
      ]);
    });

    it('brings its bill of materials and the texts of licences, and holds nothing that it could write itself', async () => {
      const script = 'find /app -writable; cat /app/sbom.cdx.json; echo; echo --; cat /app/LICENSES.txt';
      const told = await engine.mustRun([...ALONE, '--entrypoint', 'sh', tag(service), '-c', script]);
      const [bill, texts] = told.split('\n--\n') as [string, string];
      const { bomFormat, metadata, components } = JSON.parse(bill) as {
        bomFormat: string;
        metadata: { component: { name: string } };
        components: { name: string; version: string }[];
      };
      expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', service]);
      const { version } = components.find(({ name }) => name === 'pino')!;
      expect(texts).toContain(`\npino ${version} (MIT)`);
    });

    it('names all that is missing, and ends with 1', async () => {
      const { status, stderr } = await engine.docker([...ALONE, tag(service)]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(service)]);
      const missing = [...stderr.matchAll(/^ {2}([A-Z_]+): missing$/gm)].map(([, name]) => name);
      expect(missing).toEqual(expect.arrayContaining(['ENVIRONMENT', 'TRUST_ANCHORS', 'EDGE_SECRET']));
    });

    it('migrates the database of its service', async () => {
      const database = await testDatabase();
      const migrate = [
        ...RESTRICTED,
        '--network=host',
        '-e',
        `DATABASE_URL=${database.url}`,
        tag(service),
        'migrate',
      ];
      try {
        const names = readdirSync(join(ROOT, 'services', service, 'prisma/migrations'))
          .filter((name) =>
            existsSync(join(ROOT, 'services', service, 'prisma/migrations', name, 'migration.sql')),
          )
          .toSorted();
        const first = await engine.docker(['run', '--rm', ...migrate]);
        expect(first).toEqual({ status: 0, stdout: `${names.join('\n')}\n`, stderr: '' });
        const again = await engine.docker(['run', '--rm', ...migrate]);
        expect(again).toMatchObject({ status: 0, stdout: 'nothing is pending\n' });
      } finally {
        await database.drop();
      }
    });
  });

  it('each add at most 15 MB to their base', async () => {
    const bytes = await ownLayers(engine, { images: services.map(tag), base });
    expect([...bytes.keys()].toSorted()).toEqual(services.map(tag).toSorted());
    for (const [image, own] of bytes) {
      report(`${image}: ${(own / 1e6).toFixed(2)} MB above its base, compressed`);
      expect(own).toBeLessThanOrEqual(MAX_COMPRESSED);
      expect(own).toBeGreaterThan(1e6);
    }
  });

  it(
    'the same sources make the same images',
    async () => {
      expect(new Set(ids.values()).size).toBe(services.length);
      for (const [at, service] of services.entries()) {
        const more = at === 0 ? [ANEW] : [];
        const again = await buildImage(engine, { service, version: VERSION, base, more });
        expect([service, again]).toEqual([service, ids.get(service)]);
      }
    },
    BUILD_LIMIT_MS,
  );

  describe('a service, with nothing but its database', () => {
    const name = `kontoport-check-${process.pid}`;
    let database: TestDatabase;
    let anchors: string;
    let qwac: Qwac;
    let collector: Collector;
    beforeAll(async () => {
      collector = await startCollector();
      database = await testDatabase('registration');
      anchors = mkdtempSync(join(tmpdir(), 'kontoport-anchors-'));
      chmodSync(anchors, 0o755);
      const authority = await mintCa({ name: 'Check CA', at: new Date() });
      writeFileSync(join(anchors, 'root.pem'), authority.certificatePem);
      qwac = await mintQwac({
        request: { name: 'Check ApS', organizationIdentifier: 'PSDDK-DFSA-1', roles: ['PSP_AI'], days: 1 },
        issuer: authority,
        at: new Date(),
      });
    });
    afterAll(async () => {
      await engine?.docker(['rm', '-f', name]);
      collector.close();
      await database.drop();
      rmSync(anchors, { recursive: true, force: true });
    });

    it('becomes ready and healthy without rights on a read-only file system, traces a request, and drains on SIGTERM', async () => {
      const [http, grpc, ops] = await freePorts(3);
      const variables = {
        ENVIRONMENT: 'sandbox',
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(http),
        GRPC_PORT: String(grpc),
        OPS_PORT: String(ops),
        DATABASE_URL: database.url,
        TRUST_ANCHORS: '/anchors',
        EDGE_ADDRESSES: '127.0.0.1',
        EDGE_SECRET: 'x'.repeat(32),
        REGISTRATION_GRPC: `127.0.0.1:${grpc}`,
        AUTH_JWKS_URL: 'http://127.0.0.1:1',
        TOKEN_ISSUER: 'https://auth.bank.test',
        CLIENT_SECRET_PEPPER: Buffer.alloc(32).toString('base64url'),
        KAFKA_BROKERS: '127.0.0.1:1',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_SERVICE_NAME: 'registration',
      };
      const run = [
        'run',
        '--detach',
        `--name=${name}`,
        '--network=host',
        ...RESTRICTED,
        '--health-interval=1s',
        '--health-start-period=60s',
        `--volume=${anchors}:/anchors:ro`,
        ...Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
      ];
      const inspect = async (format: string): Promise<string> =>
        (await engine.mustRun(['inspect', '--format', format, name])).trim();

      const started = performance.now();
      await engine.mustRun([...run, tag('registration')]);
      await until(async () => (await fetch(`http://127.0.0.1:${ops}/readyz`)).ok, { what: 'readiness' });
      const took = performance.now() - started;
      const status = readFileSync(`/proc/${await inspect('{{.State.Pid}}')}/status`, 'utf8');
      report(
        `registration: ready after ${took.toFixed(0)} ms, ${/VmRSS:\s*(.*)/.exec(status)?.[1]} resident`,
      );
      expect(status).toMatch(/^Uid:(\t10001){4}$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      await until(async () => (await inspect('{{.State.Health.Status}}')) === 'healthy', { what: 'health' });

      const registered = await fetch(`http://127.0.0.1:${http}/tpp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-edge-secret': variables.EDGE_SECRET,
          'client-cert': `:${Buffer.from(qwac.chain[0]!).toString('base64')}:`,
        },
        body: JSON.stringify({
          name: 'Check ApS',
          roles: ['PSP_AI'],
          redirectUris: ['https://tpp.example/callback'],
        }),
      });
      expect(registered.status).toBe(201);
      await engine.mustRun(['stop', '--time=30', name]);
      expect(await inspect('{{.State.ExitCode}}')).toBe('0');
      // Stopping exports what is left. The image's own packages were instrumented: HTTP and PostgreSQL.
      expect(collector.spans('registration')).toContainEqual(
        expect.objectContaining({ name: 'POST /tpp', kind: SERVER }),
      );
      expect(collector.about('registration')).toEqual(expect.arrayContaining(['http', 'db']));
      expect((await engine.mustRun(['logs', name])).trimEnd().split('\n').at(-1)).toContain(
        '"msg":"stopped"',
      );
    });
  });

  describeWith('the stack of docker compose', { missing: missingForLocalImages(COMPOSE_IMAGES) }, () => {
    describeCompose({ engine: () => engine, services, version: VERSION, report });
  });

  describeWith('as an engine for tests', { missing: missingForLocalImages(['KAFKA_IMAGE']) }, () => {
    describeContainers(() => engine);
  });
});
