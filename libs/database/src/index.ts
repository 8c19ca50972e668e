export { createDatabase, databaseUrl } from './create-database.ts';
export { type DatabaseAccess, databaseAccess, databaseConfig } from './database-config.ts';
export { type Db, openDb, type PrismaAdapter, type SqlWriter, sqlWriter } from './db.ts';
export { deployMigrations, type Deployed } from './deploy-migrations.ts';
export { listParameter } from './list-parameter.ts';
export { openPool } from './pool.ts';
export { lookOver, reseal, type SealedRow, type SealedTable } from './reseal.ts';
export { openerOf, seal, type SealingKeys, unseal } from './sealed-column.ts';
export { inTransaction, type Statement, type Tx } from './transaction.ts';
