import { defineService } from '@kontoport/service';
import { adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';

/** Serves the accounts of the bank's users (§2.2 to §2.7, §4.3), their consents and the bank's feed. */
export const accountInformation = defineService({
  name: 'account-information',
  config,
  adapters,
  open: openDeps,
  app,
});
