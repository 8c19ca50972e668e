// npm run migration -- <service> <name>: writes the next migration of a service's database.
import { globSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { migrateCreate } from '@kontoport/database/migrate';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { Argument, Command, InvalidArgumentError } from 'commander';

const root = join(import.meta.dirname, '../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root })
  .map((file) => basename(dirname(dirname(file))))
  .toSorted();

function snakeCase(name: string): string {
  if (/^[a-z][a-z0-9_]{2,60}$/.test(name)) return name;
  throw new InvalidArgumentError('It must be snake_case of 3 to 61 characters.');
}

async function write(service: string, name: string, { empty = false }: { empty?: boolean }): Promise<void> {
  const postgres = await startPostgres();
  try {
    const url = new URL('postgres', postgres.url).href;
    const prismaDir = join(root, 'services', service, 'prisma');
    const folder = await migrateCreate({ url, prismaDir, name, empty, at: new Date() });
    if (folder === undefined) console.log(`${service}: the schema is unchanged (--empty writes a migration)`);
    else console.log(`${relative(root, folder)}/migration.sql`);
  } finally {
    await postgres.stop();
  }
}

await new Command('npm run migration --')
  .summary('Writes the next migration of a service.')
  .description(
    `Writes services/<service>/prisma/migrations/<UTC time>_<name>/migration.sql: the SQL from migrated.prisma, the schema
after the migrations so far, to the present schema.prisma. Then copies schema.prisma to migrated.prisma.
Edit migration.sql for what the schema language cannot express (constraints, partial indexes, other tables).`,
  )
  .addArgument(new Argument('<service>').choices(services))
  .argument('<name>', 'what it does, in snake_case, such as add_delivery_queue', snakeCase)
  .option('--empty', 'write a migration although the schema is unchanged, for SQL written by hand')
  .action(write)
  .parseAsync();
// The migration engine keeps a timer for 10 s.
process.exit();
