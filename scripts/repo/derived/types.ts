import { type Document, generateFrom } from './document.ts';

/** Writes the types of the requests and of the successful answers. All refusals have one type, `Error`. */
export function writeTypes({ paths, ...document }: Document): string {
  const unnamed = Object.entries(paths).map(([path, operations]) => [
    path,
    // With a name, each operation would be written twice.
    Object.fromEntries(
      Object.entries(operations).map(([method, { operationId: _id, ...operation }]) => [method, operation]),
    ),
  ]);
  return generateFrom(
    { ...document, paths: Object.fromEntries(unnamed) },
    'openapi-typescript',
    (from, to) => [from, '--output', to],
  );
}
