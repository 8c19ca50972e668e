import type { Db as DbOf } from '@kontoport/database';
import type { PrismaClient } from './gen/prisma/client.ts';

/** A handle of this service's database. */
export type Db = DbOf<PrismaClient>;
