// npm run migration -- <service> <name>: writes the next migration of a service's database.
import { globSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { migrateCreate } from '@kontoport/database/migrate';
import { startPostgres } from '@kontoport/embedded/start-postgres';

const root = join(import.meta.dirname, '../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root })
  .map((file) => basename(dirname(dirname(file))))
  .toSorted();

const HELP = `usage: npm run migration -- <service> <name> [--empty]

Writes services/<service>/prisma/migrations/<UTC time>_<name>/migration.sql: the SQL from migrated.prisma, the schema that
the migrations so far lead to, to the present schema.prisma. Then copies schema.prisma to migrated.prisma.
Edit migration.sql where the schema language has no words for it (constraints, partial indexes, other tables).

  <service>   ${services.join(' | ') || '(no service has a prisma/schema.prisma yet)'}
  <name>      what it does, in snake_case, such as add_delivery_lane
  --empty     make the migration although the schema is unchanged, for SQL written by hand
  --help      this text
`;

function refuse(message: string): never {
  process.stderr.write(`migration: ${message}\n\n${HELP}`);
  process.exit(2);
}

function readArguments(): { service: string; name: string; empty: boolean } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false }, empty: { type: 'boolean', default: false } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const [service, name, ...more] = positionals;
  if (service === undefined || name === undefined || more.length > 0) refuse('two words are needed');
  if (!services.includes(service)) refuse(`no service "${service}" with a prisma/schema.prisma`);
  if (!/^[a-z][a-z0-9_]{2,60}$/.test(name)) refuse(`"${name}" is not snake_case of 3 to 61 characters`);
  return { service, name, empty: values.empty };
}

function parsed(): ReturnType<typeof readArguments> {
  try {
    return readArguments();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const { service, name, empty } = parsed();
const prismaDir = join(root, 'services', service, 'prisma');
const postgres = await startPostgres();
try {
  const folder = await migrateCreate({
    url: new URL('postgres', postgres.url).href,
    prismaDir,
    name,
    empty,
    at: new Date(),
  });
  if (folder === undefined)
    console.log(
      `${service}: the schema is unchanged, no migration written (--empty writes one all the same)`,
    );
  else console.log(`${relative(root, folder)}/migration.sql`);
} catch (error) {
  process.stderr.write(`migration: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
// The migration engine keeps a timer for 10 s.
process.exit();
