import type { Language } from '@kontoport/errors';
import { html, type Page } from '@kontoport/pages';
import { DOCUMENTATION_PATH, GUIDES_PATH } from '@kontoport/pages/reference';
import { z } from 'zod';
import { documentRoute, type EarlierDocument } from './document-route.ts';
import { documentationRoutes } from './documentation-route.ts';
import { errorRoutes } from './error-routes.ts';
import { prefersHtml } from './preference.ts';
import { declareRoute, type Route } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

const LINKS = {
  documentation: DOCUMENTATION_PATH,
  guides: GUIDES_PATH,
  openapi: '/openapi.json',
  errors: '/errors',
};

const welcome = z
  .object({
    name: z.string().meta({ description: 'The name of the product.' }),
    environment: z.enum(['sandbox', 'production']).meta({ description: 'The environment of the address.' }),
    address: z.string().meta({ description: 'The name of the address (§4).' }),
    links: z
      .object({
        documentation: z.string().meta({ description: 'The reference.' }),
        guides: z.string().meta({ description: 'The guides for developers.' }),
        openapi: z.string().meta({ description: 'The OpenAPI document.' }),
        errors: z.string().meta({ description: 'The error codes.' }),
      })
      .meta({ description: 'The paths of its descriptions.' }),
  })
  .meta({ id: 'Welcome', description: 'The address and its links (§9.5).' });

/**
 * The public description of an address: `GET /`, `GET /documentation`, `GET /guides`, `GET /openapi.json`, those of earlier versions,
 * `GET /errors` and the page of each errorCode (§7, §9.5).
 * @param options.load imports the document of the address, at the first call
 * @example
 * interfaceRoutes({ address: 'auth_url', environment, load: () => import('@kontoport/proto/openapi/token', { with: { type: 'json' } }) })
 */
export function interfaceRoutes(options: {
  address: string;
  environment: 'sandbox' | 'production';
  load: () => Promise<{ default: object }>;
  /** Earlier versions, each with the import of its document. */
  earlier?: readonly (EarlierDocument & { load: () => Promise<{ default: object }> })[];
}): Route<{ kind: 'public' }>[] {
  const { load, earlier = [] } = options;
  return [
    welcomeRoute(options),
    ...documentationRoutes(options),
    documentRoute(load),
    ...earlier.map((version) => documentRoute(version.load, version)),
    ...errorRoutes(),
  ];
}

/** `GET /`: the name of the interface, and the addresses of its descriptions. */
function welcomeRoute(options: {
  address: string;
  environment: 'sandbox' | 'production';
}): Route<{ kind: 'public' }> {
  const { address, environment } = options;
  return declareRoute({
    method: 'GET',
    path: '/',
    clause: '§9.5',
    summary: 'Read the name and links of this address',
    description: 'Needs neither certificate nor token. Browsers get a page.',
    security: { kind: 'public' },
    answers: {
      200: {
        description: 'Name, environment and address, with links to their documents.',
        json: welcome,
        example: { name: 'Kontoport', environment: 'sandbox', address, links: LINKS },
        page: true,
        headers: { Vary: 'Headers that change the answer.' },
      },
    },
    handler: async ({ headers, language }) => {
      const vary = { vary: 'Accept, Accept-Language, X-Language' };
      if (!prefersHtml(headers.accept))
        return {
          status: 200,
          headers: vary,
          json: { name: 'Kontoport', environment, address, links: LINKS },
        };
      return { status: 200, headers: vary, page: welcomePage(options, language) };
    },
  });
}

function welcomePage(
  { address, environment }: { address: string; environment: string },
  language: Language,
): Page {
  const doors = (
    [
      ...(address === 'user_url'
        ? ([['/consents', 'welcome-consents', 'welcome-consents-more']] as const)
        : []),
      [LINKS.guides, 'welcome-guides', 'welcome-guides-more'],
      [LINKS.documentation, 'welcome-documentation', 'welcome-documentation-more'],
      [LINKS.openapi, 'welcome-openapi', 'welcome-openapi-more'],
      [LINKS.errors, 'errors-title', 'errors-more'],
    ] as const
  ).map(
    ([path, name, more]) =>
      html`<li>
        <a href="${path}">${HTTP_TEXTS(name).in(language)}</a>
        <p>${HTTP_TEXTS(more).in(language)}</p>
      </li>`,
  );
  return {
    language,
    title: HTTP_TEXTS('welcome-title').in(language),
    body: html`<p>${HTTP_TEXTS('welcome', { address, environment }).in(language)}</p>
      <ul class="doors">
        ${doors}
      </ul>`,
    developers: { current: '/' },
  };
}
