import type { SealedTable } from '@kontoport/database';
import { SEALED_EXCERPTS } from './deliveries/sealed-excerpts.repository.ts';
import { SUBSCRIPTION_KEYS } from './subscriptions/sealed-keys.repository.ts';

/** Everything that is sealed with SECRETS_KEY in the database of the dispatcher. */
export const SEALED_TABLES: readonly SealedTable[] = [SUBSCRIPTION_KEYS, ...SEALED_EXCERPTS];
