import { createHash } from 'node:crypto';
import type { Language } from '@kontoport/errors';
import { type Brand, brandStyle } from './brand.ts';
import { html, Html } from './html.ts';
import { DEVELOPER_STYLE, STYLE } from './style.ts';
import { SHELL_TEXTS as TEXTS } from './texts.ts';

/** The contents of a page; a shell renders it. */
export interface Page {
  language: Language;
  /** The heading, and the title of the browser's tab. */
  title: string;
  /** Follows the heading. */
  body: Html;
  /** An absolute URL to which the browser goes at once. */
  onwards?: string;
  /** Seconds after which the browser reloads the page. */
  reloadAfter?: number;
  /** Present on pages for developers: they have a menu, and room for tables. */
  developers?: {
    /** The path of the menu's current item. */
    current?: string;
    /** The address of the pages in the menu; default: that of this page. */
    menuAt?: string;
    /** A second menu beside the text. */
    aside?: Html;
    /** The path of a script. Only pages that name one may run scripts. */
    script?: string;
  };
}

/** A rendered page. */
export interface RenderedPage {
  html: string;
  headers: Record<string, string>;
}

/** The addresses of an environment, by their names in the interface (§4). */
export type Addresses = Partial<Record<'base_url' | 'registration_url' | 'auth_url' | 'user_url', string>>;

/** Headers of every page and redirect of a page: no address of ours for the next site, and no guessed types. */
export const PAGE_HEADERS = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };

const HEADERS = {
  ...PAGE_HEADERS,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

const MENU = [
  ['/', 'start'],
  ['/guides', 'guides'],
  ['/documentation', 'reference'],
  ['/errors', 'errors'],
] as const;

/** Renders pages in the look of a bank. */
export class Shell {
  readonly #brand: Brand;
  readonly addresses: Addresses;
  readonly #user: Style;
  readonly #developer: Style;
  /** A page that is shown again, such as those of the reference, is rendered once. */
  readonly #rendered = new WeakMap<Page, RenderedPage>();

  /** @param options.addresses those of the environment, for links between them */
  constructor(options: { brand?: Brand | undefined; addresses?: Addresses | undefined } = {}) {
    const { brand = { name: 'Kontoport' }, addresses = {} } = options;
    this.#brand = brand;
    this.addresses = addresses;
    this.#user = new Style(STYLE + brandStyle(brand), brand);
    this.#developer = new Style(STYLE + DEVELOPER_STYLE + brandStyle(brand), brand);
  }

  /** Renders a page and its headers; the same object is rendered once. */
  render(page: Page): RenderedPage {
    const rendered = this.#rendered.get(page) ?? this.#render(page);
    this.#rendered.set(page, rendered);
    return rendered;
  }

  #render(page: Page): RenderedPage {
    const { language, title, body, onwards, reloadAfter, developers } = page;
    const style = developers === undefined ? this.#user : this.#developer;
    const { name, logo } = this.#brand;
    const bank = html`${logo && html`<img src="${logo}" alt="" />`}<span>${name}</span>`;
    const main = html`<main id="content">
      <h1>${title}</h1>
      ${body}
    </main>`;
    const frame =
      developers === undefined
        ? html`<body>
            <header>${bank}</header>
            ${main}
           `
        : this.#developerFrame({ ...page, developers, bank, main });
    const text = html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          ${style.element} ${developers?.script && html`<script src="${developers.script}" defer></script>`}
        </head>
        ${frame}
        </body>
      </html> `;
    return {
      html: text.text,
      headers: {
        ...HEADERS,
        'content-security-policy': style.policy(developers?.script !== undefined),
        ...(onwards !== undefined && { refresh: `0;url=${onwards}` }),
        ...(reloadAfter !== undefined && { refresh: String(reloadAfter) }),
      },
    };
  }

  #developerFrame(page: {
    language: Language;
    developers: NonNullable<Page['developers']>;
    bank: Html;
    main: Html;
  }): Html {
    const { language, developers, bank, main } = page;
    const { current, aside, menuAt = '' } = developers;
    const items = MENU.map(
      ([path, key]) =>
        html`<li>
          <a href="${menuAt}${path}" ${path === current ? html` aria-current="page"` : undefined}
            >${TEXTS(key).in(language)}</a
          >
        </li>`,
    );
    const places = (Object.entries(this.addresses) as [keyof Addresses, string][]).map(
      ([key, url]) => html`<li><a href="${url}/">${TEXTS(key).in(language)}</a> <code>${key}</code></li>`,
    );
    return html`<body class="developers">
      <a class="skip" href="#content">${TEXTS('skip').in(language)}</a>
      <header>
        <a class="bank" href="/">${bank}</a>
        <nav aria-label="${TEXTS('navigation').in(language)}">
          <ul>
            ${items}
          </ul>
        </nav>
      </header>
      <div class="columns">${main} ${aside}</div>
      ${
        places.length > 0
          ? html`<footer>
              <h2>${TEXTS('addresses').in(language)}</h2>
              <ul>
                ${places}
              </ul>
            </footer>`
          : undefined
      }
     `;
  }
}

/** A stylesheet inside a page, and the policy that allows this one only. */
class Style {
  readonly element: Html;
  readonly #sources: readonly string[];

  constructor(css: string, { logo }: Brand) {
    // The text is our own, and a colour that was checked: nothing in it can end the element.
    this.element = new Html(`<style>${css}</style>`);
    const hash = createHash('sha256').update(css).digest('base64');
    this.#sources = [`style-src 'sha256-${hash}'`, ...(logo === undefined ? [] : ['img-src data:'])];
  }

  /**
   * Allows no foreign resource, no form to another site, no frame and no opener. Browsers apply `form-action` to every
   * redirect after a form, the TPP's own included, so no form is answered with a redirect to another site.
   */
  policy(hasScript: boolean): string {
    return [
      "default-src 'none'",
      ...this.#sources,
      ...(hasScript ? ["script-src 'self'"] : []),
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; ');
  }
}
