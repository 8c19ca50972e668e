// node scripts/repo/generate.ts [WORKSPACE FOLDER]: generates the protobuf types and the Prisma clients, or those of one
// workspace. A part whose inputs are unchanged stays as it is.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const lock = join(root, 'package-lock.json');

interface Part {
  name: string;
  cwd: string;
  inputs: string[];
  output: string;
  command: string[];
  /** Files written beside the generator's output: path in it → text. */
  files?: Record<string, string>;
}

/** Source of the module that every service with a database has: its handle, and the name of its newest migration. */
const dbOf = (
  migration: string | undefined,
): string => `import type { Db as DbOf, PrismaAdapter } from '@kontoport/database';
import { type Prisma, PrismaClient } from './prisma/client.ts';

/** A handle of this service's database. */
export type Db = DbOf<PrismaClient>;

/** The client that runs a query: a transaction of its own, or \`db.prisma\` for a single statement. */
export type PrismaTx = Prisma.TransactionClient;

/** Without it the database is older than this code. */
export const MIGRATION: string | undefined = ${migration === undefined ? 'undefined' : `'${migration}'`};

/** Makes this service's client. The pool and its sessions limit how long a connection and a statement may take. */
export function createPrisma(adapter: PrismaAdapter): PrismaClient {
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 15_000 } });
}
`;

function parts(): Part[] {
  const require = createRequire(import.meta.url);
  const proto = join(root, 'proto');
  const buf = join(root, 'node_modules/.bin/buf');
  const prisma = join(dirname(require.resolve('prisma/package.json')), 'build/index.js');
  return [
    {
      name: 'proto',
      cwd: proto,
      inputs: globSync('{{kontoport,grpc}/**/*.proto,buf*.yaml}', { cwd: proto }).map((file) =>
        join(proto, file),
      ),
      output: join(proto, 'gen'),
      command: [buf, 'generate'],
    },
    ...globSync('services/*/prisma/schema.prisma', { cwd: root }).map((file) => {
      const schema = join(root, file);
      const cwd = dirname(dirname(schema));
      return {
        name: file,
        cwd,
        inputs: [schema],
        output: join(cwd, 'src/gen'),
        command: [process.execPath, prisma, 'generate', '--schema', schema],
        files: { 'db.ts': dbOf(newestMigration(dirname(schema))) },
      };
    }),
  ];
}

const newestMigration = (prismaDir: string): string | undefined =>
  globSync('migrations/*/migration.sql', { cwd: prismaDir })
    .map((file) => basename(dirname(file)))
    .toSorted()
    .at(-1);

/** A hash of the inputs that does not depend on the repository's place. */
function fingerprint({ inputs, files = {} }: Part): string {
  const hash = createHash('sha256').update(JSON.stringify(files));
  for (const file of [...inputs, lock, import.meta.filename].toSorted())
    hash.update(relative(root, file)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Brings generated code up to date; throws with the generator's own output when it fails.
 * @param folder of one workspace, relative to the root; default: all
 */
export function generate(folder?: string): void {
  const wantedParts = parts().filter(({ cwd }) => folder === undefined || cwd === join(root, folder));
  for (const part of wantedParts) {
    const stamp = join(part.output, '.inputs');
    const wanted = fingerprint(part);
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue;
    const [command, ...args] = part.command;
    const { status, stdout, stderr, error } = spawnSync(command!, args, {
      cwd: part.cwd,
      encoding: 'utf8',
      env: {
        ...process.env,
        // `prisma generate` asks for a schema-engine binary which it never runs; any executable satisfies it.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
        BUF_NO_WARN: '1',
        // Its own places are in the home folder, which need not be there, nor be one.
        BUF_CACHE_DIR: join(root, 'node_modules/.cache/buf'),
        BUF_CONFIG_DIR: join(root, 'node_modules/.cache/buf/config'),
      },
    });
    if (status !== 0)
      throw new Error(`${part.name} was not generated:\n${error?.message ?? stdout + stderr}`);
    mkdirSync(part.output, { recursive: true });
    for (const [path, text] of Object.entries(part.files ?? {})) writeFileSync(join(part.output, path), text);
    writeFileSync(stamp, wanted);
    // Standard output has the results of the command.
    console.error(`generated ${part.name}`);
  }
}

if (process.argv[1] === import.meta.filename) generate(process.argv[2]);
