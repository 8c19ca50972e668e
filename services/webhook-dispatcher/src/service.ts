import { defineService } from '@kontoport/service';
import { adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';

/** Webhook subscriptions (§2.11, §4.6), and the deliveries of events to them (§2.12, §6). */
export const webhookDispatcher = defineService({
  name: 'webhook-dispatcher',
  config,
  adapters,
  open: openDeps,
  app,
});
