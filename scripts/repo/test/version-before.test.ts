import { randomBytes } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { deployMigrations } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { git } from '../git.ts';
import { install, replaceMigrations, runTests, servicesToTry, versionBefore } from '../version-before.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SERVICES = globSync('services/*/prisma/migrations', { cwd: ROOT })
  .map((path) => basename(dirname(dirname(path))))
  .toSorted();

/** Tests through the door of a service that look at no whole row, and a table that they write to. */
const DOORS: Readonly<Record<string, { files: readonly string[]; table: string }>> = {
  'account-information': { files: ['consents', 'transactions-v2'], table: 'transaction' },
  auth: { files: ['code-flow'], table: 'signing_key' },
  payments: { files: ['postgres-payment-store'], table: 'draft' },
  registration: { files: ['register-client', 'credentials'], table: 'client' },
  'webhook-dispatcher': { files: ['deliveries'], table: 'subscription' },
};

const tried = servicesToTry(ROOT).map((service) => ({ service, before: versionBefore(ROOT, service) }));
const without = tried.filter(({ before }) => before === undefined).map(({ service }) => service);

describeWith(
  'the version before runs on the schema of this one',
  {
    missing:
      without.length === 0 && tried.length > 0
        ? undefined
        : `no history of ${without.join(', ') || 'the services'}: a clone that is not shallow has it`,
  },
  () => {
    it.each(tried)(
      '$service: its own tests hold, and fail where a migration does not let it write',
      ({ service, before }) => {
        const { files, table } = DOORS[service]!;
        const postgres = process.env.KONTOPORT_TEST_POSTGRES!;
        const older = install(ROOT, before!);
        const planted = mkdtempSync(join(tmpdir(), 'kontoport-planted-'));
        try {
          const present = join(ROOT, 'services', service, 'prisma/migrations');
          replaceMigrations(older, service, present);
          const { passed, failed, output } = runTests(older, { service, files, postgres });
          expect(failed === 0 ? '' : output).toBe('');
          expect(passed).toBeGreaterThan(5);

          cpSync(present, planted, { recursive: true });
          mkdirSync(join(planted, '99991231235959_planted'));
          writeFileSync(
            join(planted, '99991231235959_planted/migration.sql'),
            `ALTER TABLE "${table}" ADD COLUMN planted integer NOT NULL;`,
          );
          replaceMigrations(older, service, planted);
          const broken = runTests(older, { service, files: files.slice(0, 1), postgres });
          expect(broken.failed).toBeGreaterThan(1);
        } finally {
          rmSync(older, { recursive: true, force: true });
          rmSync(planted, { recursive: true, force: true });
        }
      },
    );
  },
);

describe('this version on the schema of the version before', () => {
  let peers: FakePeers;
  beforeAll(async () => {
    peers = await startFakePeers();
  });
  afterAll(() => peers.close());

  it('knows the door of every service', () => {
    expect(Object.keys(DOORS)).toEqual(SERVICES);
  });

  it.each(SERVICES)(
    '%s is not ready, and becomes so when the migration has been applied',
    async (service) => {
      const before = mkdtempSync(join(tmpdir(), 'kontoport-schema-'));
      const database = await testDatabase();
      const prismaDir = join(ROOT, 'services', service, 'prisma');
      const names = globSync('migrations/*/migration.sql', { cwd: prismaDir })
        .map((path) => dirname(path))
        .toSorted();
      for (const name of names.slice(0, -1))
        cpSync(join(prismaDir, name), join(before, name), { recursive: true });
      await deployMigrations({ url: database.url, prismaDir: before });
      const env = await environment(database.url);
      const running = startServiceProcess({ service, env });
      try {
        const waiting = async (): Promise<string> => {
          const response = await fetch(`http://127.0.0.1:${env.OPS_PORT}/readyz`);
          const { waiting: reasons = {} } = (await response.json()) as { waiting?: Record<string, string> };
          return JSON.stringify(reasons);
        };
        const reason = `the migration ${basename(names.at(-1)!)} has not been applied`;
        await until(async () => (await waiting()).includes(reason), { what: 'the service to miss it' });
        await deployMigrations({ url: database.url, prismaDir });
        await until(async () => !/migration|"database"/.test(await waiting()), {
          what: 'the service to find it',
        });
        expect(running.log.filter(({ level }) => level === 'fatal')).toEqual([]);
      } finally {
        await running.kill('SIGKILL');
        await database.drop();
        rmSync(before, { recursive: true, force: true });
      }
    },
  );

  /** The environment of a service; variables of other services have no effect on it. */
  async function environment(databaseUrl: string): Promise<Record<string, string>> {
    const nobody = '127.0.0.1:1';
    const key = randomBytes(32).toString('base64url');
    const ports = ['HTTP_PORT', 'OPS_PORT', 'GRPC_PORT', 'USER_PORT'].map(
      async (name) => [name, String(await freePort())] as const,
    );
    return {
      ...peers.env,
      ENVIRONMENT: 'production',
      INTERNAL_TLS: 'off',
      BANK_GRPC: nobody,
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: nobody,
      KAFKA_TLS: 'off',
      PAYMENTS_GRPC: nobody,
      ACCOUNTS_GRPC: nobody,
      USER_URL: 'https://user.bank.test',
      SECRETS_KEY: key,
      CLIENT_SECRET_PEPPER: key,
      ...Object.fromEntries(await Promise.all(ports)),
    };
  }
});

describe('which version was before', () => {
  let root: string;
  const MIGRATIONS = 'services/a/prisma/migrations';
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@bank.example', '-c', 'commit.gpgsign=false'];
  const migrate = (name: string, service = 'a'): void => {
    const folder = join(root, MIGRATIONS.replace('/a/', `/${service}/`), name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'migration.sql'), `SELECT '${name}';`);
  };
  const commit = (message: string): string => {
    git(root, 'add', '--all');
    git(root, ...who, 'commit', '--quiet', '--allow-empty', `--message=${message}`);
    return git(root, 'rev-parse', 'HEAD');
  };
  const before = (service = 'a'): string | undefined => {
    const found = versionBefore(root, service);
    return found && git(root, 'rev-parse', `${found}^{commit}`);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kontoport-history-'));
    git(root, 'init', '--quiet', '--initial-branch=main');
    migrate('1_init');
    migrate('2_init', 'b');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is none for a service that began with its migration', () => {
    commit('init');
    expect(before()).toBeUndefined();
  });

  it('is the commit before the newest migration, whatever came after it', () => {
    commit('init');
    const last = commit('code');
    migrate('3_more');
    commit('migration');
    commit('more code');
    expect(before()).toBe(last);
  });

  it('is the present commit while the migration is not committed', () => {
    const present = commit('init');
    migrate('3_more');
    expect(before()).toBe(present);
  });

  it('is the last release that lacks the newest migration, once there is one', () => {
    const release = commit('init');
    git(root, 'tag', 'v1.9.0');
    migrate('3_more');
    commit('migration');
    migrate('4_more');
    commit('another');
    git(root, 'tag', 'v1.10.0');
    expect(before()).toBe(release);
  });

  it('is tried of the services whose migration main has not, else of the one with the newest', () => {
    commit('init');
    expect(servicesToTry(root)).toEqual(['b']);
    git(root, 'switch', '--quiet', '--create', 'work');
    migrate('1_more');
    commit('migration');
    expect(servicesToTry(root)).toEqual(['a']);
    migrate('3_more', 'b');
    expect(servicesToTry(root)).toEqual(['a', 'b']);
  });
});
