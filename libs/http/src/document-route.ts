import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Deprecation } from './deprecation.ts';
import { declareRoute, type Route } from './route.ts';

const MAX_AGE_SECONDS = 300;

const document = z
  .looseObject({
    openapi: z.string().meta({ description: 'The version of the specification.' }),
    info: z
      .looseObject({
        title: z.string().meta({ description: 'The name of the interface.' }),
        version: z.string().meta({ description: 'The version of the interface.' }),
      })
      .meta({ description: 'Facts about the interface.' }),
    paths: z
      .record(z.string(), z.looseObject({}))
      .meta({ description: 'The operations by path and method.' }),
  })
  .meta({ description: 'See the OpenAPI Specification, 3.1.' });

/** An earlier version of an interface, whose description stays available (§9). */
export interface EarlierDocument {
  /** Semantic version. */
  version: string;
  deprecated: Deprecation;
}

/**
 * `GET /openapi.json`: the public description of an address (§9.5); `GET /openapi/{version}.json`: that of an earlier version.
 * @param load imports the document, at the first call, so that it costs nothing before
 * @param earlier which version the document is of, unless it is the present one
 * @example
 * documentRoute(() => import('@kontoport/proto/openapi/token', { with: { type: 'json' } }))
 */
export function documentRoute(
  load: () => Promise<{ default: object }>,
  earlier?: EarlierDocument,
): Route<{ kind: 'public' }> {
  const served = once(async () => {
    const jsonText = Buffer.from(JSON.stringify((await load()).default));
    return { jsonText, etag: `"${createHash('sha256').update(jsonText).digest('base64url')}"` };
  });
  return declareRoute({
    method: 'GET',
    ...(earlier === undefined
      ? { path: '/openapi.json', summary: 'This interface as an OpenAPI 3.1 document' }
      : {
          path: `/openapi/${earlier.version}.json`,
          summary: `Version ${earlier.version} of this interface as an OpenAPI 3.1 document`,
          deprecated: earlier.deprecated,
        }),
    clause: earlier === undefined ? '§9.5' : ['§9.3', '§9.5'],
    description: 'Needs neither certificate nor token. The version is that of the interface.',
    security: { kind: 'public' },
    answers: {
      200: {
        description: 'The document.',
        json: document,
        example: { openapi: '3.1.1', info: { title: 'Kontoport', version: '0.3.0' }, paths: {} },
        headers: {
          ETag: 'Changes with the document.',
          'Cache-Control': 'The time for which it may be cached.',
        },
      },
      304: {
        description: 'The document is still the one of `If-None-Match`.',
        headers: { ETag: 'The same as before.', 'Cache-Control': 'The time for which it may be cached.' },
      },
    },
    handler: async ({ headers }) => {
      const { jsonText, etag } = await served();
      const kept = { etag, 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` };
      if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: kept };
      return { status: 200, headers: kept, jsonText };
    },
  });
}

/** Calls `make` once and keeps its result. The next call repeats a failed one, such as for lack of file descriptors. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Weak comparison (RFC 9110 §13.1.2). */
function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  const tags = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
