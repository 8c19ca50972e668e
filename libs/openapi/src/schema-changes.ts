/** A JSON object of a document, unread. */
export type Json = { readonly [member: string]: unknown };

/** Whether callers send what a schema describes, or receive it. */
export type Direction = 'sent' | 'received';

/** One side of a comparison: a schema and the document that its references lead into. */
export interface Side {
  document: Json;
  schema: unknown;
}

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'contentEncoding'];
/** Deeper than any body of ours; ends a schema that contains itself. */
const MAX_DEPTH = 12;

/** What a caller written against `before` can no longer send, or no longer finds, each with its place. */
export function schemaChanges(
  before: Side,
  after: Side,
  direction: Direction,
  place = '',
  depth = 0,
): string[] {
  if (depth > MAX_DEPTH) return [];
  const [old, now] = [alternatives(before), alternatives(after)];
  if (old.length === 1 && now.length === 1)
    return compare({ ...before, schema: old[0] }, { ...after, schema: now[0] }, direction, place, depth);
  // Whatever could be sent must still be taken; whatever comes must have been announced.
  const [demanded, offered] = direction === 'sent' ? [old, now] : [now, old];
  const isMet = (one: Json): boolean =>
    offered.some((other) => {
      const [oldOne, newOne] = direction === 'sent' ? [one, other] : [other, one];
      const faults = compare(
        { ...before, schema: oldOne },
        { ...after, schema: newOne },
        direction,
        place,
        depth,
      );
      return faults.length === 0;
    });
  const unmet = demanded.filter((one) => !isMet(one)).map((one) => told(one.type ?? one));
  if (unmet.length === 0) return [];
  const what = direction === 'sent' ? 'is no longer taken as' : 'can now be';
  return [`${place || 'it'} ${what} ${unmet.join(', ')}`];
}

function compare(before: Side, after: Side, direction: Direction, place: string, depth: number): string[] {
  const [old, now] = [before.schema, after.schema] as [Json, Json];
  const here = place || 'it';
  return [
    ...typeChanges(old, now, direction, here),
    ...valueChanges(old, now, direction, here),
    ...(direction === 'sent' ? limitChanges(old, now, here) : formChanges(old, now, here)),
    ...memberChanges(before, after, direction, place, depth),
    ...childChanges(before, after, direction, place, depth),
  ];
}

function typeChanges(old: Json, now: Json, direction: Direction, here: string): string[] {
  const [from, to] = [typesOf(old), typesOf(now)];
  const [demanded, offered] = direction === 'sent' ? [from, to] : [to, from];
  if (offered === undefined) return [];
  if (demanded === undefined) return [`${here} is now ${[...offered].join(' or ')} only`];
  const fits = (type: string): boolean => offered.has(type) || (type === 'integer' && offered.has('number'));
  return [...demanded].every(fits)
    ? []
    : [`${here} was ${[...from!].join(' or ')} and is ${[...to!].join(' or ')}`];
}

function valueChanges(old: Json, now: Json, direction: Direction, here: string): string[] {
  const [from, to] = [valuesOf(old), valuesOf(now)];
  if (from === undefined)
    return direction === 'sent' && to !== undefined ? [`${here} is limited to ${to.join(', ')}`] : [];
  if (to === undefined) return direction === 'received' ? [`${here} is no longer limited to a list`] : [];
  const gone = from.filter((value) => !to.includes(value));
  return gone.length === 0 ? [] : [`${here} lost ${gone.join(', ')}`];
}

function limitChanges(old: Json, now: Json, here: string): string[] {
  const narrowed = (names: string[], isNarrower: (from: number, to: number) => boolean): string[] =>
    names
      .filter((name) => typeof now[name] === 'number')
      .filter((name) => typeof old[name] !== 'number' || isNarrower(old[name], now[name] as number))
      .map(
        (name) =>
          `${here} has ${name} ${told(now[name])}${old[name] === undefined ? '' : `, not ${told(old[name])}`}`,
      );
  return [
    ...narrowed(LOWER_LIMITS, (from, to) => to > from),
    ...narrowed(UPPER_LIMITS, (from, to) => to < from),
    ...FORMS.filter((name) => now[name] !== undefined && now[name] !== false && now[name] !== old[name]).map(
      (name) => `${here} has ${name} ${told(now[name])}`,
    ),
  ];
}

function formChanges(old: Json, now: Json, here: string): string[] {
  return old.format !== undefined && old.format !== now.format
    ? [`${here} had format ${told(old.format)} and has ${told(now.format ?? 'none')}`]
    : [];
}

function memberChanges(
  before: Side,
  after: Side,
  direction: Direction,
  place: string,
  depth: number,
): string[] {
  const [old, now] = [before.schema, after.schema] as [Json, Json];
  const [from, to] = [propertiesOf(old), propertiesOf(now)];
  const [needed, needs] = [new Set(listOf(old.required)), new Set(listOf(now.required))];
  const at = (name: unknown): string => `${place}${place === '' ? '' : '.'}${String(name)}`;
  const changes: string[] = [];
  for (const [name, schema] of Object.entries(from)) {
    if (!Object.hasOwn(to, name)) {
      const closed = now.additionalProperties === false;
      if (direction === 'received' || closed) changes.push(`${at(name)} is gone`);
      continue;
    }
    if (direction === 'received' && needed.has(name) && !needs.has(name))
      changes.push(`${at(name)} is no longer always there`);
    const pair = [
      { ...before, schema },
      { ...after, schema: to[name] },
    ] as const;
    changes.push(...schemaChanges(...pair, direction, at(name), depth + 1));
  }
  if (direction === 'sent') {
    for (const name of needs) if (!needed.has(name)) changes.push(`${at(name)} is now required`);
    if (now.additionalProperties === false && old.additionalProperties !== false && 'properties' in old)
      changes.push(`${place || 'it'} takes no other members any more`);
  }
  return changes;
}

function childChanges(
  before: Side,
  after: Side,
  direction: Direction,
  place: string,
  depth: number,
): string[] {
  const children = [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const;
  return children.flatMap(([name, suffix]) => {
    const [old, now] = [(before.schema as Json)[name], (after.schema as Json)[name]];
    if (!isJson(old) || !isJson(now)) return [];
    const pair = [
      { ...before, schema: old },
      { ...after, schema: now },
    ] as const;
    return schemaChanges(...pair, direction, place + suffix, depth + 1);
  });
}

/** The shapes that a value can have, references followed and `allOf` merged. */
function alternatives({ document, schema }: Side): Json[] {
  const flat = flatten(document, schema);
  const choices = [flat.anyOf, flat.oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  return choices?.flatMap((choice) => alternatives({ document, schema: choice })) ?? [flat];
}

function flatten(document: Json, schema: unknown): Json {
  const { allOf, ...own } = resolve(document, schema);
  const parts = Array.isArray(allOf) ? allOf.map((part) => flatten(document, part)) : [];
  return [...parts, own].reduce<Json>((merged, part) => {
    const properties = { ...propertiesOf(merged) };
    for (const [name, property] of Object.entries(propertiesOf(part)))
      properties[name] = Object.hasOwn(properties, name) ? { allOf: [properties[name], property] } : property;
    const required = [...listOf(merged.required), ...listOf(part.required)];
    const members = Object.keys(properties).length > 0 ? { properties, required } : {};
    return { ...merged, ...part, ...members };
  }, {});
}

/** The object that a reference of the document leads to, or the object itself. */
export function resolve(document: Json, value: unknown): Json {
  if (!isJson(value)) return {};
  if (typeof value.$ref !== 'string') return value;
  const { $ref, ...beside } = value;
  const names = $ref.replace(/^#\//, '').split('/');
  const target = names.reduce<unknown>(
    (at, name) => (isJson(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    document,
  );
  return { ...resolve(document, target), ...beside };
}

function typesOf(schema: Json): Set<string> | undefined {
  return schema.type === undefined ? undefined : new Set([schema.type].flat() as string[]);
}

function valuesOf(schema: Json): string[] | undefined {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : undefined;
}

function propertiesOf(schema: Json): Json {
  return isJson(schema.properties) ? schema.properties : {};
}

/** A value of a schema in a sentence. */
function told(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
