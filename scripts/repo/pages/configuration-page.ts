import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretVariables } from '@kontoport/config';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';
import { type Blocks, table } from './keep-page.ts';

const SERVICES = ['registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'];

/** The files with comments over the variables. */
const SOURCES = [
  'libs/service/src/common-config.ts',
  'libs/internal-tls/src/internal-tls.ts',
  'libs/pages/src/brand-config.ts',
  'libs/database/src/database-config.ts',
  'libs/events/src/kafka-config.ts',
  'libs/grpc/src/bank.ts',
  ...SERVICES.map((service) => `services/${service}/src/config.ts`),
  'services/webhook-dispatcher/src/callback-config.ts',
];

type Shape = Readonly<Record<string, z.ZodType>>;

/** The variables of docs/configuration.md, from the schemas that read them. */
export async function configurationBlocks(root: string): Promise<Blocks> {
  const own = await Promise.all(
    SERVICES.map(async (service) => {
      const module = (await import(join(root, 'services', service, 'src/config.ts'))) as { config: Shape };
      const variables = Object.entries(module.config).filter(([name]) => !(name in commonConfig));
      return [service, Object.fromEntries(variables)] as const;
    }),
  );
  const shared = Object.fromEntries(
    own.flatMap(([, shape]) => Object.entries(shape)).filter(([name]) => servicesOf(name, own).length > 1),
  );
  const docs = readDocs(root);
  const section = (title: string, shape: Shape, services = false): string =>
    `## ${title}\n\n${table([
      ['Variable', 'Meaning', 'Default', ...(services ? ['Services'] : [])],
      ...Object.entries(shape).map(([name, schema]) => [
        `\`${name}\``,
        [docOf(name, docs), secretVariables(shape).includes(name) ? 'Secret.' : '', valuesOf(schema)]
          .filter(Boolean)
          .join(' ')
          .replaceAll('|', '\\|'),
        presetOf(schema),
        ...(services ? [servicesOf(name, own).join(', ')] : []),
      ]),
    ])}`;
  return {
    variables: [
      section('Every service', commonConfig),
      section('Several services', shared, true),
      ...own.map(([service, shape]) => section(service, without(shape, shared))),
    ].join('\n\n'),
  };
}

function servicesOf(name: string, own: readonly (readonly [string, Shape])[]): string[] {
  return own.filter(([, shape]) => name in shape).map(([service]) => service);
}

function without(shape: Shape, others: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !(name in others)));
}

function schemaOf(schema: z.ZodType): { enum?: string[]; default?: unknown } {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ReturnType<typeof schemaOf>;
}

function docOf(name: string, docs: ReadonlyMap<string, string>): string {
  const doc = docs.get(name);
  if (doc === undefined) throw new Error(`${name} has no comment in its schema`);
  return doc;
}

function valuesOf(schema: z.ZodType): string {
  const values = schemaOf(schema).enum;
  return values === undefined ? '' : `One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
}

function presetOf(schema: z.ZodType): string {
  const preset = schemaOf(schema).default;
  if (preset !== undefined) return `\`${JSON.stringify(preset).replaceAll('"', '')}\``;
  return z.safeParse(schema, undefined).success ? 'none' : 'required';
}

/** The comments over the variables, by name. */
function readDocs(root: string): Map<string, string> {
  const texts = SOURCES.map((source) => readFileSync(join(root, source), 'utf8'));
  const found = texts.flatMap((text) => [
    ...text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*([A-Z][A-Z0-9_]+):/g),
  ]);
  return new Map(
    found.map(([, comment, name]) => [name!, comment!.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()]),
  );
}
