import { ApiError } from '@kontoport/errors';
import type { Addresses, Page, Shell } from '@kontoport/pages';
import type { Guides } from '@kontoport/pages/guides';
import {
  DEVELOPER_SCRIPT_PATH,
  DOCUMENTATION_PATH,
  GUIDES_PATH,
  Reference,
  REFERENCE_SCRIPT,
} from '@kontoport/pages/reference';
import { z } from 'zod';
import { once } from './document-route.ts';
import { declareRoute, type Route } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

const KEPT = { 'cache-control': 'public, max-age=300' };
const HEADERS = { 'Cache-Control': 'The time for which it may be cached.' };
const PAGE = { description: 'The page.', html: true, headers: HEADERS } as const;
const MARKDOWN = { description: 'The text.', bytes: 'text/markdown', headers: HEADERS } as const;

const operationParams = z.object({
  operationId: z.string().max(200).meta({ description: 'The operationId in the OpenAPI document.' }),
});

const guideParams = z.object({
  guide: z.string().max(200).meta({ description: 'The id of the guide; `index` for the list.' }),
});

const common = { method: 'GET', clause: '§9.5', security: { kind: 'public' }, errors: 'developers' } as const;

/** Finds the pages for the address at which a request came. */
type Find<T> = (request: { readonly shell: Shell }) => Promise<T>;

/**
 * The reference and the guides (§9.5). The pages of the reference are made from the OpenAPI document of an address alone, so they are
 * as correct as the document. Each page is also Markdown.
 * @param options.load imports the document, at the first call
 */
export function documentationRoutes(options: {
  address: string;
  load: () => Promise<{ default: object }>;
}): Route<{ kind: 'public' }>[] {
  const loaded = once(async () => (await options.load()).default);
  const guidesLoaded = once(() => import('@kontoport/pages/guides'));
  let guides: Guides | undefined;
  const findGuides: Find<Guides> = async ({ shell }) => {
    const module = await guidesLoaded();
    return (guides ??= new module.Guides(shell.addresses));
  };
  let reference: Reference | undefined;
  const find: Find<Reference> = async (request) => {
    const { addresses } = request.shell;
    const base = addresses[options.address as keyof Addresses];
    const [document, found] = [await loaded(), await findGuides(request)];
    return (reference ??= new Reference(document, { base, guides: found }));
  };
  return [...pageRoutes(find), ...markdownRoutes(find), ...guideRoutes(findGuides)];
}

function guideRoutes(find: Find<Guides>): Route<{ kind: 'public' }>[] {
  const reply = (page: Page | undefined) =>
    ({ status: 200, headers: KEPT, page: page ?? unknown('guide-unknown') }) as const;
  return [
    declareRoute({
      ...common,
      path: GUIDES_PATH,
      summary: 'The guides for developers',
      description: 'Needs neither certificate nor token. A list of the guides.',
      answers: { 200: PAGE },
      handler: async (request) => reply((await find(request)).page('index')),
    }),
    declareRoute({
      ...common,
      path: `${GUIDES_PATH}/:guide.md`,
      summary: 'One guide as Markdown',
      params: guideParams,
      answers: { 200: MARKDOWN },
      handler: async (request) =>
        markdownReply((await find(request)).markdown(request.params.guide) ?? unknown('guide-unknown')),
    }),
    declareRoute({
      ...common,
      path: `${GUIDES_PATH}/:guide`,
      summary: 'One guide',
      params: guideParams,
      answers: { 200: PAGE },
      handler: async (request) => reply((await find(request)).page(request.params.guide)),
    }),
  ];
}

function pageRoutes(find: Find<Reference>): Route<{ kind: 'public' }>[] {
  return [
    declareRoute({
      ...common,
      path: DOCUMENTATION_PATH,
      summary: 'Read the reference',
      description: 'Needs neither certificate nor token. The content of the OpenAPI document, as a page.',
      query: z.looseObject({
        q: z
          .string()
          .max(100)
          .optional()
          .meta({ description: 'Words to search for: only operations and guides that contain all of them.' }),
      }),
      answers: { 200: PAGE },
      handler: async (request) => ({
        status: 200,
        headers: KEPT,
        page: (await find(request)).overview(request.query.q),
      }),
    }),
    declareRoute({
      ...common,
      path: DEVELOPER_SCRIPT_PATH,
      summary: 'Load the script of reference and guides',
      description: 'Filters the list beside the text and copies samples. The pages work without it.',
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
      summary: 'Read an operation as Markdown',
      params: operationParams,
      answers: { 200: MARKDOWN },
      handler: async (request) =>
        markdownReply(
          (await find(request)).markdown(request.params.operationId) ?? unknown('operation-unknown'),
        ),
    }),
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/:operationId`,
      summary: 'Read an operation',
      description: 'Its security, parameters, body, responses, errors, and samples in six languages.',
      params: operationParams,
      answers: { 200: PAGE },
      handler: async (request) => ({
        status: 200,
        headers: KEPT,
        page: (await find(request)).operation(request.params.operationId) ?? unknown('operation-unknown'),
      }),
    }),
  ];
}

function markdownRoutes(find: Find<Reference>): Route<{ kind: 'public' }>[] {
  return [
    declareRoute({
      ...common,
      path: `${DOCUMENTATION_PATH}/index.md`,
      summary: 'Read the reference as Markdown',
      answers: { 200: MARKDOWN },
      handler: async (request) => markdownReply((await find(request)).markdown()!),
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

function markdownReply(text: string) {
  return {
    status: 200,
    headers: KEPT,
    bytes: Buffer.from(text),
    type: 'text/markdown; charset=utf-8',
  } as const;
}

function unknown(rule: 'operation-unknown' | 'guide-unknown'): never {
  throw new ApiError('RESOURCE_UNKNOWN', HTTP_TEXTS(rule));
}
