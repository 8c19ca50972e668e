/** A JSON object of a document, unread. */
export type Json = { readonly [member: string]: unknown };

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
