import type { Webhook } from '@kontoport/service';
import { ADDRESSES } from '@kontoport/service/addresses';
import { z } from 'zod';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { DescribedAnswer, DescribedRoute } from './described-route.ts';
import { FEATURES, type Interface, INTERFACE_FEATURE } from './interfaces.ts';
import { header, rateLimitHeaders, refusalResponses, sendsJson } from './refusals.ts';
import { securitySchemes, sharedHeaders, sharedParameters } from './shared-parts.ts';
import { errorSchema, oauthErrorSchema, problemSchema } from './shared-schemas.ts';
import { WEBHOOK_FEATURE, webhookPaths } from './webhooks.ts';

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<typeof createDocument>;

type Responses = NonNullable<NonNullable<ZodOpenApiObject['components']>['responses']>;

const INTRODUCTION = [
  'Every call carries the eIDAS QWAC of the TPP in its TLS handshake, unless its security is empty (§5).',
  'A path that does not exist answers 404 `ROUTE_UNKNOWN`, a method that it does not have 405 `METHOD_NOT_ALLOWED`,',
  'both in the form of `Error`. A query parameter or a member of a body that is not listed here answers 400, but at the',
  'endpoints of OAuth and on pages for browsers, which may ignore it (RFC 6749 §3.1, §3.2);',
  'answers can get new members at any time.',
].join(' ');

/**
 * Describes the routes of an interface, and the webhooks that come from it, as OpenAPI 3.1.
 * @throws Error when two routes contradict each other, `params` are not those of the path, or a body has no example.
 */
export function buildDocument(
  described: Interface,
  routes: readonly DescribedRoute[],
  webhooks: readonly Webhook[] = [],
): OpenApiDocument {
  const responses: Responses = {};
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const verb = route.method.toLowerCase() as 'get';
    if (paths[path]?.[verb] !== undefined) throw new Error(`${route.method} ${path} is declared twice`);
    paths[path] = { ...paths[path], [verb]: operationOf(route, responses) };
  }
  const oauth = routes.some((route) => route.errors === 'oauth');
  const json = routes.some(sendsJson);
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: described.title,
        version: described.version,
        description: `${described.description}\n\n${INTRODUCTION}`,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: ['', ...ADDRESSES[described.address].prefixes].map((prefix) => ({
        url: `{${described.address}}${prefix}`,
        variables: {
          [described.address]: {
            default: described.local,
            description: 'The address of the environment; the default is the sandbox of `npm start`.',
          },
        },
      })),
      tags: tagsOf(routes, webhooks),
      paths: Object.fromEntries(Object.entries(paths).toSorted(([one], [other]) => (one < other ? -1 : 1))),
      ...(webhooks.length === 0 ? {} : { webhooks: webhookPaths(webhooks) }),
      components: {
        schemas: {
          ...(json ? { Error: errorSchema, Problem: problemSchema } : {}),
          ...(oauth ? { OAuthError: oauthErrorSchema } : {}),
        },
        responses: Object.fromEntries(
          Object.entries(responses).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        ),
        parameters: sharedParameters(),
        headers: sharedHeaders(routes, Object.values(responses)),
        securitySchemes: securitySchemes(routes),
      },
    },
    OPTIONS,
  );
}

/** Omits what the format already states, and leaves answers open for new members. */
const OPTIONS: CreateDocumentOptions = {
  override: ({ jsonSchema, zodSchema, io }) => {
    const { def } = zodSchema._zod;
    // Transformations of a schema are internal, so such a part is described by its input.
    if (io === 'output' && def.type === 'pipe' && Object.keys(jsonSchema).length === 0) {
      const { $schema: _dialect, ...input } = z.toJSONSchema(zodSchema, { io: 'input' });
      Object.assign(jsonSchema, input);
    }
    if (jsonSchema.format !== undefined && jsonSchema.pattern !== undefined) delete jsonSchema.pattern;
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // Names are strings.
    if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
  },
};

function operationOf(route: DescribedRoute, shared: Responses): ZodOpenApiOperationObject {
  const clauses = [route.clause].flat();
  const refusals = refusalResponses(route);
  for (const { name, response } of refusals) shared[name] = response;
  requireParameters(route);
  if (route.body !== undefined && route.body.example === undefined)
    throw new Error(`${route.method} ${route.path}: its body has no example`);
  return {
    operationId: operationId(route),
    tags: [featureOf(route).name],
    summary: route.summary,
    description: [...(route.description ? [route.description] : []), `Contract: ${clauses.join(', ')}.`].join(
      '\n\n',
    ),
    security: securityOf(route),
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    parameters: [
      { $ref: '#/components/parameters/X-Request-Id' },
      { $ref: '#/components/parameters/X-Language' },
    ],
    requestParams: {
      ...(route.params === undefined ? {} : { path: describedParameters(route.params) }),
      ...(route.query === undefined ? {} : { query: route.query as never }),
    },
    ...(route.body === undefined ? {} : { requestBody: bodyOf(route.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer, route)]),
      ),
      ...Object.fromEntries(
        refusals.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    } as never,
    'x-clause': clauses,
  };
}

/** `getAccountsTransactions`: the method and the names of the path, parameters as `By…`. */
export function operationId(route: { method: string; path: string }): string {
  const words = route.path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return route.method.toLowerCase() + words.join('');
}

function requireParameters(route: DescribedRoute): void {
  const named = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const declared = Object.keys((route.params as { shape?: object } | undefined)?.shape ?? {});
  const differ = named.toSorted().join() !== declared.toSorted().join();
  if (differ) throw new Error(`${route.method} ${route.path}: its params are [${declared.join()}]`);
}

/** Describes parameters of a path by their names, unless their schemas have a description. */
function describedParameters(params: z.ZodType) {
  const { shape } = params as z.ZodObject<Record<string, z.ZodType>>;
  const described = Object.entries(shape).map(([name, schema]) => {
    const words = name.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const description = name === 'id' ? 'The id of the resource.' : `The id of the ${words}.`;
    return [name, schema.meta()?.description === undefined ? schema.meta({ description }) : schema];
  });
  return z.object(Object.fromEntries(described) as Record<string, z.ZodType>);
}

function bodyOf(
  body: NonNullable<DescribedRoute['body']>,
): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const { json, form, example } = body;
  const content = {
    ...(json === undefined ? {} : { 'application/json': { schema: json, example } }),
    ...(form === undefined ? {} : { 'application/x-www-form-urlencoded': { schema: form, example } }),
  };
  return { required: body.optional !== true, content };
}

function answerOf(answer: DescribedAnswer, route: DescribedRoute) {
  const redirect = answer.redirect ? { Location: 'The URL of the redirect.' } : {};
  const own = Object.entries({ ...redirect, ...answer.headers }).map(([name, description]) => [
    name,
    { description, required: true, schema: { type: 'string' } },
  ]);
  const example = answer.example === undefined ? {} : { example: answer.example };
  const content =
    answer.json !== undefined
      ? {
          'application/json': { schema: answer.json, ...example },
          ...(answer.page ? { 'text/html': { schema: { type: 'string' as const } } } : {}),
        }
      : answer.html
        ? { 'text/html': { schema: { type: 'string' } } }
        : answer.bytes !== undefined
          ? Object.fromEntries([answer.bytes].flat().map((type) => [type, { schema: {} }]))
          : undefined;
  return {
    description: answer.description,
    headers: {
      ...header('X-Request-Id'),
      ...(route.security.kind === 'public' ? {} : rateLimitHeaders()),
      ...(route.deprecated === undefined ? {} : { ...header('Deprecation'), ...header('Link') }),
      ...(route.deprecated?.sunset === undefined ? {} : header('Sunset')),
      ...Object.fromEntries(own),
    },
    ...(content === undefined ? {} : { content }),
  };
}

function securityOf({ security, errors }: DescribedRoute): Record<string, string[]>[] {
  if (security.kind === 'public') return [];
  const demanded: Record<string, string[]> = { certificate: [] };
  if (security.kind === 'token') demanded.oauth = security.scope === undefined ? [] : [security.scope];
  if (errors === 'oauth') demanded.clientCredentials = [];
  return [demanded];
}

function featureOf(route: DescribedRoute) {
  const [first] = [route.clause].flat();
  const section = /^§(\d+\.\d+)/.exec(first!)?.[1];
  return (section === undefined ? undefined : FEATURES[section]) ?? INTERFACE_FEATURE;
}

function tagsOf(
  routes: readonly DescribedRoute[],
  webhooks: readonly Webhook[],
): { name: string; description: string }[] {
  const used = new Set([...routes.map(featureOf), ...webhooks.map(() => WEBHOOK_FEATURE)]);
  return [...Object.values(FEATURES), INTERFACE_FEATURE].filter((feature) => used.has(feature));
}
