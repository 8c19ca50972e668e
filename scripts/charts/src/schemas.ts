// JSON Schemas for kubeconform from what Kubernetes and the other projects publish in their modules, closed: a field that
// does not exist is a fault.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  [key: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  nullable?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Kind {
  group: string;
  version: string;
  kind: string;
}

/** The members of the OpenAPI document of Kubernetes that are read here. */
export interface Swagger {
  definitions: Record<string, Schema & { 'x-kubernetes-group-version-kind'?: Kind[] }>;
}

/** The members of a CustomResourceDefinition that are read here. */
export interface CustomResource {
  kind: string;
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema?: { openAPIV3Schema: Schema } }[];
  };
}

const QUANTITY = String.raw`^[+-]?[0-9.]+([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$`;
const TEXT_OR_NUMBER = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
const LABEL = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const METADATA: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 253 },
    generateName: { type: 'string' },
    namespace: { type: 'string', maxLength: 63 },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63, pattern: LABEL } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: { type: 'array', items: { type: 'object' } },
  },
};

/** Writes the schema of each kind of Kubernetes itself; returns how many. */
export function writeCoreSchemas(folder: string, { definitions }: Swagger): number {
  let written = 0;
  const done = new Map<string, Schema>();
  const expand = (name: string, stack: readonly string[]): Schema => {
    if (name.endsWith('util.intstr.IntOrString')) return TEXT_OR_NUMBER;
    if (name.endsWith('api.resource.Quantity'))
      return { oneOf: [{ type: 'string', pattern: QUANTITY }, { type: 'number' }] };
    if (name.endsWith('meta.v1.ObjectMeta')) return METADATA;
    // Schemas of schemas are recursive; nothing else is.
    if (stack.includes(name)) return {};
    const known = done.get(name) ?? (walk(definitions[name], [...stack, name]) as Schema);
    done.set(name, known);
    return known;
  };
  const walk = (value: unknown, stack: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, stack));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: string };
    if (typeof $ref === 'string') return expand($ref.slice($ref.lastIndexOf('/') + 1), stack);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, stack)]));
  };
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions)) {
    // A schema with several kinds is no resource, such as DeleteOptions.
    if (kinds.length !== 1) continue;
    write(folder, kinds[0]!, strict(expand(name, [])));
    written += 1;
  }
  return written;
}

/** Writes the schema of each version of a custom resource. */
export function writeCustomSchemas(folder: string, { spec }: CustomResource): void {
  for (const { name: version, schema } of spec.versions) {
    if (schema === undefined) continue;
    const closed = strict(schema.openAPIV3Schema);
    closed.properties = { ...closed.properties, metadata: METADATA };
    write(folder, { group: spec.group, version, kind: spec.names.kind }, closed);
  }
}

/** Closed where it has properties; the notations of Kubernetes in those of JSON Schema. */
function strict(schema: Schema): Schema {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] ?? schema['x-kubernetes-embedded-resource'];
  const out: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (/^(description|default|example|nullable)$|^x-kubernetes-/.test(key)) continue;
    if (key === 'format' && /^(int-or-string|int32|int64|double|float|byte)$/.test(String(value))) continue;
    out[key] = strictPart(key, value);
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') {
    delete out.type;
    delete out.anyOf;
    Object.assign(out, TEXT_OR_NUMBER);
  }
  if (out.properties !== undefined && !('additionalProperties' in out) && !isOpen)
    out.additionalProperties = false;
  if (schema.nullable && typeof out.type === 'string') {
    out.type = [out.type, 'null'];
    if (out.enum) out.enum = [...out.enum, null];
  }
  return out;
}

function strictPart(key: string, value: unknown): unknown {
  if (key === 'properties' || key === 'patternProperties')
    return Object.fromEntries(
      Object.entries(value as Record<string, Schema>).map(([name, inner]) => [name, strict(inner)]),
    );
  const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isSchema && ['items', 'additionalProperties', 'not'].includes(key)) return strict(value as Schema);
  // allOf, anyOf and oneOf add conditions to what is closed already.
  return value;
}

/** `<group>/<kind>_<version>.json` in small letters; the group of the core is `v1`, as kubeconform names it. */
function write(folder: string, { group, version, kind }: Kind, schema: Schema): void {
  const place = join(folder, group || 'v1');
  mkdirSync(place, { recursive: true });
  const own: Schema = {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string', enum: [group ? `${group}/${version}` : version] },
      kind: { type: 'string', enum: [kind] },
    },
    required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])],
  };
  writeFileSync(join(place, `${kind}_${version}.json`.toLowerCase()), JSON.stringify(own));
}
