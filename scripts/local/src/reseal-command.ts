import { defineCommand } from '@kontoport/command';
import { SERVICES } from './services.ts';

/** `kontoport reseal`: has no stored secret depend on an older key. */
export const resealCommand = defineCommand({
  summary: 'seals the stored secrets of a service with its first key',
  about: `Seals everything in the database of a service with the first key of SECRETS_KEY, beside the service as it runs. DATABASE_URL, DATABASE_TLS_* and SECRETS_KEY, or the file in SECRETS_KEY_FILE, are as the service has them.

It prints what it has found, and ends with 1 while anything is left under another key. Repeat it until it ends with 0; then the other keys may be dropped from SECRETS_KEY.`,
  options: {},
  operands: [{ name: 'SERVICE', choices: SERVICES }],
  run: async (call) => (await import('./reseal.ts')).reseal(call),
});
