import type { JsonSchema } from './json-schema.ts';

type More = Omit<JsonSchema, 'description' | 'type' | 'properties' | 'items'>;

/** An object of these keys and no others. */
export function closed(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  more: More = {},
): JsonSchema {
  return { description, type: 'object', additionalProperties: false, properties, ...more };
}

/** An object whose keys are not ours to know, such as labels or what Kubernetes defines. */
export function open(description: string, more: More = {}): JsonSchema {
  return { description, type: 'object', ...more };
}

/** Texts under keys of any name. */
export function texts(description: string, more: More = {}): JsonSchema {
  return { description, type: 'object', additionalProperties: { type: 'string' }, ...more };
}

/** Labels of Kubernetes, as the API server takes them. */
export function labels(description: string): JsonSchema {
  return {
    description,
    type: 'object',
    propertyNames: {
      pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    },
    additionalProperties: { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' },
    default: {},
  };
}

export function text(description: string, more: More = {}): JsonSchema {
  return { description, type: 'string', ...more };
}

/** A text that is one of these. */
export function oneOf(description: string, values: readonly string[], more: More = {}): JsonSchema {
  return { description, type: 'string', enum: [...values], ...more };
}

export function flag(description: string, preset: boolean): JsonSchema {
  return { description, type: 'boolean', default: preset };
}

/** `false`, `true`, or not said. */
export function choice(description: string): JsonSchema {
  return { description, type: 'boolean' };
}

export function whole(description: string, more: More = {}): JsonSchema {
  return { description, type: 'integer', ...more };
}

/** A list; empty unless another default is given. */
export function listOf(description: string, items: JsonSchema, more: More = { default: [] }): JsonSchema {
  return { description, type: 'array', items, ...more };
}

/** Peers of a NetworkPolicy. */
export function peers(description: string, preset: unknown[] = []): JsonSchema {
  return listOf(description, { type: 'object' }, { default: preset });
}

/** A name of an object of Kubernetes; `''` where nothing is named. */
export function objectName(description: string): JsonSchema {
  return text(description, { default: '', maxLength: 253, pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' });
}

/** PEM of certification authorities: those of the system, or a key of a ConfigMap or a Secret. */
export function authorities(ofWhat: string): Record<string, JsonSchema> {
  return {
    ca: oneOf(`\`system\`: the certification authorities of the image verify ${ofWhat}.`, ['', 'system'], {
      default: '',
    }),
    caFrom: closed(`Where the certification authorities that verify ${ofWhat} stand as PEM, instead.`, {
      configMap: objectName('A ConfigMap …'),
      secret: objectName('… or a Secret.'),
      key: text('The key in it.', { default: 'ca.crt', minLength: 1 }),
    }),
  };
}

/** The same shape with nothing chosen, for what overrides it. */
export function withoutDefaults(schema: JsonSchema): JsonSchema {
  const { default: _preset, properties, ...rest } = schema;
  if (properties === undefined) return rest;
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => [key, withoutDefaults(inner)]),
    ),
  };
}
