// Run by migrations.test.ts, since the migration engine does not load in a test's module registry.
import { migrateCreate } from '../src/migrate.ts';

const [url, prismaDir, name, empty, at] = process.argv.slice(2) as [string, string, string, string, string];
const folder = await migrateCreate({ url, prismaDir, name, empty: empty === 'empty', at: new Date(at) });
process.stdout.write(folder ?? '', () => process.exit(0));
