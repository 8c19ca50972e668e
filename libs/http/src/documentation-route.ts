import { ApiError } from '@kontoport/errors';
import type { Addresses, Shell } from '@kontoport/pages';
import { DOCUMENTATION_PATH, Reference, REFERENCE_SCRIPT } from '@kontoport/pages/reference';
import { z } from 'zod';
import { once } from './document-route.ts';
import { declareRoute, type Route } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

const KEPT = { 'cache-control': 'public, max-age=300' };
const HEADERS = { 'Cache-Control': 'How long it may be kept.' };
const MARKDOWN = { description: 'The text.', bytes: 'text/markdown', headers: HEADERS } as const;

const params = z.object({
  operationId: z.string().max(200).meta({ description: 'The operationId in the OpenAPI document.' }),
});

const common = { method: 'GET', clause: '§9.5', security: { kind: 'public' }, errors: 'developers' } as const;

/** Finds the reference of the address at which a request came. */
type FindReference = (request: { readonly shell: Shell }) => Promise<Reference>;

/**
 * The reference: pages made from the OpenAPI document of an address (§9.5) alone, so they are as correct as the document. Each is
 * also Markdown.
 * @param options.load imports the document, at the first call
 */
export function documentationRoutes(options: {
  address: string;
  load: () => Promise<{ default: object }>;
}): Route<{ kind: 'public' }>[] {
  const loaded = once(async () => (await options.load()).default);
  let made: Reference | undefined;
  const find: FindReference = async ({ shell }) =>
    (made ??= new Reference(await loaded(), shell.addresses[options.address as keyof Addresses]));
  return [...pageRoutes(find), ...markdownRoutes(find)];
}

function pageRoutes(find: FindReference): Route<{ kind: 'public' }>[] {
  const page = { description: 'The page.', html: true, headers: HEADERS } as const;
  return [
    declareRoute({
      ...common,
      path: DOCUMENTATION_PATH,
      summary: 'This interface for reading',
      description: 'Needs neither certificate nor token. What the OpenAPI document says, as a page.',
      query: z.looseObject({
        q: z
          .string()
          .max(100)
          .optional()
          .meta({ description: 'Words: only the operations that have all of them.' }),
      }),
      answers: { 200: page },
      handler: async (request) => ({
        status: 200,
        headers: KEPT,
        page: (await find(request)).overview(request.query.q),
      }),
    }),
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/reference.js`,
      summary: 'The script of the reference',
      description: 'Filters the list of operations and copies samples. The pages work without it.',
      answers: { 200: { description: 'The script.', bytes: 'text/javascript', headers: HEADERS } },
      handler: async () => ({
        status: 200,
        headers: KEPT,
        bytes: Buffer.from(REFERENCE_SCRIPT),
        type: 'text/javascript; charset=utf-8',
      }),
    }),
    // Express takes the first path that matches, so the one with a suffix goes first.
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/:operationId.md`,
      summary: 'One operation for reading, as Markdown',
      params,
      answers: { 200: MARKDOWN },
      handler: async (request) => markdownReply((await find(request)).markdown(request.params.operationId)),
    }),
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/:operationId`,
      summary: 'One operation for reading',
      description: 'Its access, parameters, body, answers, errors, and samples in six languages.',
      params,
      answers: { 200: page },
      handler: async (request) => ({
        status: 200,
        headers: KEPT,
        page: (await find(request)).operation(request.params.operationId) ?? unknown(),
      }),
    }),
  ];
}

function markdownRoutes(find: FindReference): Route<{ kind: 'public' }>[] {
  return [
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/index.md`,
      summary: 'This interface for reading, as Markdown',
      answers: { 200: MARKDOWN },
      handler: async (request) => markdownReply((await find(request)).markdown()),
    }),
    declareRoute({
      ...common,
      path: '/llms.txt',
      summary: 'The Markdown pages of this interface, for language models',
      answers: { 200: MARKDOWN },
      handler: async (request) => markdownReply((await find(request)).llms()),
    }),
  ];
}

function markdownReply(text: string | undefined) {
  return {
    status: 200,
    headers: KEPT,
    bytes: Buffer.from(text ?? unknown()),
    type: 'text/markdown; charset=utf-8',
  } as const;
}

function unknown(): never {
  throw new ApiError('RESOURCE_UNKNOWN', HTTP_TEXTS('operation-unknown'));
}
