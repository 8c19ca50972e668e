// Run by migrations.test.ts: applies a folder with Prisma's own engine; prints the names as JSON.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withEngine } from '../src/migrate.ts';

const [url, prismaDir] = process.argv.slice(2) as [string, string];
const folder = join(prismaDir, 'migrations');
const migrationDirectories = globSync(join(folder, '*/migration.sql'))
  .toSorted()
  .map((file) => ({
    path: basename(dirname(file)),
    migrationFile: {
      path: 'migration.sql',
      content: { tag: 'ok' as const, value: readFileSync(file, 'utf8') },
    },
  }));
const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' };
const names = await withEngine({
  url,
  schema: readFileSync(join(prismaDir, 'schema.prisma'), 'utf8'),
  use: async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: { baseDir: folder, lockfile, shadowDbInitScript: '', migrationDirectories },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  },
});
process.stdout.write(JSON.stringify(names), () => process.exit(0));
