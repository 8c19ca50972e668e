import { join } from 'node:path';
import type { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');

/** The services: the key in the values, and the name of folder, image and objects. */
export const SERVICES = {
  registration: 'registration',
  auth: 'auth',
  accountInformation: 'account-information',
  payments: 'payments',
  webhookDispatcher: 'webhook-dispatcher',
} as const;
export type ServiceKey = keyof typeof SERVICES;
export const SERVICE_KEYS = Object.keys(SERVICES) as readonly ServiceKey[];

/** The environment variables of a service, by name. */
export async function configOf(key: ServiceKey): Promise<Readonly<Record<string, z.ZodType>>> {
  const module: unknown = await import(join(ROOT, 'services', SERVICES[key], 'src/config.ts'));
  return (module as { config: Record<string, z.ZodType> }).config;
}

/** `DATABASE_URL` for `databaseUrl`, as the templates make it. */
export function variableOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
