import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';

const SCHEMA = 'schema.prisma';
/** The schema that the migrations lead to; the next migration starts from it. */
const MIGRATED = 'migrated.prisma';
const LOCK = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' };
const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** The engine writes its last output here before a panic. */
Object.assign(globalThis, {
  PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => process.stderr.write(`${message}\n`) },
});

/** The pool is ours: ending it is the only way to give back the engine's connection and its advisory lock. */
export async function withEngine<T>(options: {
  url: string;
  schema: string;
  use: (engine: SchemaEngine) => Promise<T>;
}): Promise<T> {
  const pool = new pg.Pool({
    connectionString: options.url,
    connectionTimeoutMillis: 10_000,
  });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
    const engine = await SchemaEngine.new({ datamodels: [[SCHEMA, options.schema]] }, () => {}, adapter);
    try {
      return await options.use(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}

/**
 * Writes the next migration, the difference between `migrated.prisma` and `schema.prisma`, and updates `migrated.prisma`. The
 * engine can start neither from a database nor from SQL. So it neither sees nor undoes hand-written SQL of earlier migrations.
 * @param options.url any reachable PostgreSQL database: the engine connects, and reads and changes nothing
 * @param options.name snake_case
 * @param options.empty write a folder even when the schema is unchanged, for hand-written SQL
 * @returns the new folder, or nothing when the schema is unchanged
 */
export function migrateCreate(options: {
  url: string;
  prismaDir: string;
  name: string;
  empty: boolean;
  at: Date;
}): Promise<string | undefined> {
  const schema = readFileSync(join(options.prismaDir, SCHEMA), 'utf8');
  const folder = join(options.prismaDir, 'migrations');
  const migrated = join(options.prismaDir, MIGRATED);
  const model = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: SCHEMA, content }],
  });
  return withEngine({
    url: options.url,
    schema,
    use: async (engine) => {
      const { exitCode, stdout } = await engine.diff({
        from: existsSync(migrated) ? model(readFileSync(migrated, 'utf8')) : { tag: 'empty' },
        to: model(schema),
        script: true,
        exitCode: true,
        filters: NO_FILTERS,
      });
      if (exitCode === 0 && !options.empty) return undefined;
      const stamp = options.at.toISOString().replace(/\D/g, '').slice(0, 14);
      const target = join(folder, `${stamp}_${options.name}`);
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, 'migration.sql'), exitCode === 0 ? '' : (stdout ?? ''));
      writeFileSync(migrated, schema);
      writeFileSync(join(folder, LOCK.path), LOCK.content);
      return target;
    },
  });
}
