// What the services read that a platform team may want to choose: the values of the chart are made of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretVariables } from '@kontoport/config';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';
import { BLOCKS, NAME_SERVERS } from './addresses.ts';
import type { JsonSchema } from './json-schema.ts';

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

/** The variables of a service, by name. */
export type ConfigShape = Readonly<Record<string, z.ZodType>>;

/** What the templates of the chart give to the services from other values, or a cluster has no use for. */
const NOT_A_SETTING =
  /^(ENVIRONMENT|(HTTP|OPS|GRPC|USER)_(HOST|PORT)|TRUST_ANCHORS|INTERMEDIATES|EDGE_.*|REGISTRATION_GRPC|ACCOUNTS_GRPC|PAYMENTS_GRPC|AUTH_JWKS_URL|TOKEN_ISSUER|USER_URL|BANK_.*|DATABASE_.*|KAFKA_.*|INTERNAL_TLS.*|(REVOCATION|CALLBACK)_LOOPBACK)$/;

/** Settings that the templates make objects of, and what these may be. */
const PATTERNS: Readonly<Record<string, string>> = {
  CALLBACK_ALLOW: BLOCKS,
  CALLBACK_DENY: BLOCKS,
  NAME_SERVERS,
};

const SOURCES = [
  'libs/service/src/common-config.ts',
  'services/registration/src/config.ts',
  'services/auth/src/config.ts',
  'services/account-information/src/config.ts',
  'services/payments/src/config.ts',
  'services/webhook-dispatcher/src/config.ts',
  'services/webhook-dispatcher/src/callback-config.ts',
];

/** The configuration of a service. */
export async function configOf(root: string, service: string): Promise<ConfigShape> {
  const module: unknown = await import(join(root, 'services', service, 'src/config.ts'));
  return (module as { config: ConfigShape }).config;
}

/** `rateLimitClient` for RATE_LIMIT_CLIENT: the templates make the variable of the key again. */
export function keyOf(variable: string): string {
  return variable.toLowerCase().replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}

/** Settings by key, as JSON Schema with what a reader needs to know; absent, the service's own default holds. */
export type Settings = Readonly<Record<string, JsonSchema>>;

/** The settings that all services have, and those of each. */
export async function readSettings(
  root: string,
): Promise<{ common: Settings; own: Readonly<Record<ServiceKey, Settings>> }> {
  const docs = readDocs(root);
  const own = await Promise.all(
    SERVICE_KEYS.map(async (key) => {
      const config = await configOf(root, SERVICES[key]);
      const shape = Object.fromEntries(Object.entries(config).filter(([name]) => !(name in commonConfig)));
      return [key, settingsOf(shape, docs)] as const;
    }),
  );
  return {
    common: settingsOf(commonConfig, docs),
    own: Object.fromEntries(own) as Record<ServiceKey, Settings>,
  };
}

function settingsOf(shape: ConfigShape, docs: ReadonlyMap<string, string>): Settings {
  const secrets = new Set(secretVariables(shape));
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([variable]) => !NOT_A_SETTING.test(variable) && !secrets.has(variable))
      .map(([variable, schema]) => [
        keyOf(variable),
        {
          ...settingOf(schema, docs.get(variable)),
          ...(variable in PATTERNS ? { pattern: PATTERNS[variable] } : {}),
        },
      ]),
  );
}

function settingOf(schema: z.ZodType, doc: string | undefined): JsonSchema {
  const {
    $schema: _dialect,
    default: preset,
    ...rest
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema;
  const isFlag = rest.enum?.join() === 'true,false';
  const typed: JsonSchema = isFlag ? { type: 'boolean' } : withOff(rest);
  if (typed.maximum === Number.MAX_SAFE_INTEGER) delete typed.maximum;
  const told =
    preset === undefined ? '' : `The service's default is ${JSON.stringify(preset).replaceAll('"', '')}.`;
  return { description: [doc, told].filter(Boolean).join(' '), ...typed };
}

/** Helm reads YAML 1.1, in which `off` without quotes is false. */
function withOff(schema: JsonSchema): JsonSchema {
  const [first, ...others] = schema.enum ?? [];
  return first === 'off'
    ? { ...schema, type: ['string', 'boolean'], enum: [first, false, ...others] }
    : schema;
}

/** The comments over the variables, in words for whoever sets them. One may stand over several. */
function readDocs(root: string): Map<string, string> {
  const docs = new Map<string, string>();
  for (const source of SOURCES) {
    const text = readFileSync(join(root, source), 'utf8');
    for (const [, comment, variable] of text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*([A-Z][A-Z0-9_]+):/g))
      docs.set(
        variable!,
        comment!
          .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
          .replaceAll('`', '')
          .trim(),
      );
    for (const [, first, second] of text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): .*,\n {2}([A-Z][A-Z0-9_]+): /gm))
      if (docs.has(first!) && !docs.has(second!)) docs.set(second!, docs.get(first!)!);
  }
  return docs;
}
