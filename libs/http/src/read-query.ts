import { ApiError } from '@kontoport/errors';
import { MAX_DETAILS, MAX_PATH } from './check-shape.ts';
import { SHAPE_TEXTS } from './shape-texts.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Parses the query. @throws ApiError FORMAT_ERROR for a duplicate name (ADR-0002) */
export function parseQuery(query: string | null): Record<string, string> {
  const values = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of new URLSearchParams(query ?? ''))
    if (values.has(name)) twice.add(name);
    else values.set(name, value);
  if (twice.size === 0) return Object.fromEntries(values);
  const details = [...twice].slice(0, MAX_DETAILS).map((name) => ({
    path: `query.${name}`.slice(0, MAX_PATH),
    text: SHAPE_TEXTS('twice'),
  }));
  throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('query-twice'), { details });
}
