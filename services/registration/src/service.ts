import { defineService } from '@kontoport/service';
import { adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';

/** Serves registration and client management (§2.1, §4.2), and the client directory from which all services decide. */
export const registration = defineService({ name: 'registration', config, adapters, open: openDeps, app });
