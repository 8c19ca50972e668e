import { type Document, resolve, type Schema } from './document.ts';

/** A parameter, a header or a member of a body, for reading. */
export interface Field {
  name: string;
  /** Such as `string (uuid)`. */
  type: string;
  required: boolean;
  description: string;
  /** Such as `1 to 500` and `default: 100`. */
  bounds: string[];
}

const DEEPEST = 6;

/** Lists the members of a schema, those of nested objects by their path. */
export function fieldsOf(document: Document, schema: Schema | undefined): Field[] {
  return schema === undefined ? [] : members(document, schema, { path: '', depth: 0, seen: [] });
}

/** Describes one value. */
export function describe(
  document: Document,
  given: Schema,
  { name, required, description }: { name: string; required: boolean; description?: string | undefined },
): Field {
  const schema = plain(document, given);
  return {
    name,
    type: typeOf(document, schema),
    required,
    description: description ?? given.description ?? schema.description ?? '',
    bounds: boundsOf(schema),
  };
}

interface Place {
  path: string;
  depth: number;
  seen: readonly string[];
}

function members(document: Document, given: Schema, place: Place): Field[] {
  const seen = given.$ref === undefined ? place.seen : [...place.seen, given.$ref];
  if (place.depth > DEEPEST || (given.$ref !== undefined && place.seen.includes(given.$ref))) return [];
  const schema = plain(document, given);
  const inside = { ...place, seen };
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const field = describe(document, member, {
      name: path,
      required: schema.required?.includes(name) ?? false,
    });
    return [field, ...members(document, member, { path, depth: place.depth + 1, seen })];
  });
  const items = schema.items && members(document, schema.items, { ...inside, path: `${place.path}[]` });
  const values =
    typeof schema.additionalProperties === 'object'
      ? members(document, schema.additionalProperties, {
          ...inside,
          path: `${place.path}.*`,
          depth: place.depth + 1,
        })
      : [];
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((variant) =>
    members(document, variant, inside),
  );
  return distinct([...own, ...(items ?? []), ...values, ...variants]);
}

/** Members that several variants share are listed once. */
function distinct(fields: Field[]): Field[] {
  return [...new Map(fields.toReversed().map((field) => [field.name, field])).values()].toReversed();
}

/** The schema behind references, with the parts of `allOf` merged. */
function plain(document: Document, given: Schema): Schema {
  const schema: Schema =
    given.$ref === undefined ? given : resolve<Schema>(document, given as { $ref: string });
  if (schema.allOf === undefined) return schema;
  const parts = schema.allOf.map((part) => plain(document, part));
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties) as Record<
      string,
      Schema
    >,
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function typeOf(document: Document, schema: Schema): string {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) {
    const types = variants.map((variant) => typeOf(document, plain(document, variant)));
    return [...new Set(types)].join(' or ');
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = [schema.type ?? (schema.properties ? 'object' : 'any')].flat().join(' or ');
  if (type === 'array' && schema.items) return `array of ${typeOf(document, plain(document, schema.items))}`;
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function boundsOf(schema: Schema): string[] {
  const bounds: string[] = [];
  const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
  const between = (least: unknown, most: unknown, unit: string): void => {
    // Limits at the largest integers only mean that the value is an integer.
    const [from, to] = [least, most].map((bound) =>
      bound === undefined || Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER
        ? undefined
        : String(bound as number),
    );
    if (from !== undefined && to !== undefined)
      bounds.push(`${from === to ? from : `${from} to ${to}`}${unit}`);
    else if (from !== undefined) bounds.push(`at least ${from}${unit}`);
    else if (to !== undefined) bounds.push(`at most ${to}${unit}`);
  };
  if (schema.enum !== undefined) bounds.push(`one of ${schema.enum.map(code).join(', ')}`);
  between(schema.minimum, schema.maximum, '');
  if (schema.exclusiveMinimum !== undefined)
    bounds.push(`more than ${String(schema.exclusiveMinimum as number)}`);
  between(schema.minLength, schema.maxLength, ' characters');
  between(schema.minItems, schema.maxItems, ' items');
  if (schema.pattern !== undefined) bounds.push(`matches ${code(schema.pattern)}`);
  if (schema.default !== undefined) bounds.push(`default: ${code(schema.default)}`);
  return bounds;
}
