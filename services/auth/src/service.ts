import { defineService } from '@kontoport/service';
import { adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';

/** Serves access tokens (§4.1), the keys that sign them, and the pages of the bank's users (§4.4, §5.9). */
export const auth = defineService({ name: 'auth', config, adapters, open: openDeps, app });
