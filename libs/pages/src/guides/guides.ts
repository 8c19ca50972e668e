import { escapeHtml, html, Html } from '../html.ts';
import type { Addresses, Page } from '../page.ts';
import { DEVELOPER_SCRIPT_PATH, GUIDES_PATH } from '../reference/script.ts';
import { searchForm } from '../reference/search-form.ts';
import GUIDES from './guides.json' with { type: 'json' };

/** The addresses of `npm start`, which the sources of the guides name. */
const WRITTEN: readonly (readonly [url: string, address: keyof Addresses])[] = [
  ['https://localhost:8443', 'base_url'],
  ['https://localhost:8444', 'registration_url'],
  ['https://localhost:8445', 'auth_url'],
  ['https://localhost:8446', 'user_url'],
];

type Guide = (typeof GUIDES)[number];

/** The guides for developers, made from docs/guides by `npm run guides`. */
export class Guides {
  readonly #addresses: Addresses;
  readonly #pages = new Map<string, Page>();

  /** @param addresses those of the environment, which links and snippets then name */
  constructor(addresses: Addresses = {}) {
    this.#addresses = addresses;
  }

  /** Returns the page of a guide, or the list of guides for `index`; undefined for an unknown id. */
  page(id: string): Page | undefined {
    const guide = GUIDES.find((one) => one.id === id);
    if (guide === undefined) return undefined;
    const page = this.#pages.get(id) ?? this.#page(guide);
    this.#pages.set(id, page);
    return page;
  }

  /** Returns a guide as Markdown; undefined for an unknown id. */
  markdown(id: string): string | undefined {
    const guide = GUIDES.find((one) => one.id === id);
    return guide && this.#withAddresses(guide.markdown, (text) => text);
  }

  /** Returns the title, summary and path of each guide that has all words of a search. */
  find(words: readonly string[] = []): { title: string; summary: string; path: string }[] {
    return GUIDES.filter(
      ({ id, markdown }) =>
        id !== 'index' && words.every((word) => markdown.toLowerCase().includes(word.toLowerCase())),
    ).map(({ id, title, summary }) => ({ title, summary, path: pathOf(id) }));
  }

  #page(guide: Guide): Page {
    const at = GUIDES.indexOf(guide);
    const [previous, next] = [GUIDES[at - 1], GUIDES[at + 1]];
    // Our own Markdown, rendered without the HTML in it.
    const text = new Html(this.#withAddresses(guide.html, escapeHtml));
    return {
      language: 'en',
      title: guide.title,
      body: html`<p class="to-contents"><a href="#contents">All guides and search</a></p>
        ${text}
        <nav class="turn" aria-label="Previous and next guide">
          ${previous && html`<a href="${pathOf(previous.id)}" rel="prev">← ${previous.title}</a>`}
          ${next && html`<a href="${pathOf(next.id)}" rel="next">${next.title} →</a>`}
        </nav>
        <p class="soft"><a href="${GUIDES_PATH}/${guide.id}.md">This page as Markdown</a></p>`,
      developers: {
        current: GUIDES_PATH,
        aside: contents(guide),
        script: DEVELOPER_SCRIPT_PATH,
      },
    };
  }

  #withAddresses(text: string, escape: (url: string) => string): string {
    return WRITTEN.reduce(
      (all, [url, address]) => all.replaceAll(url, escape(this.#addresses[address] ?? url)),
      text,
    );
  }
}

function contents(current: Guide): Html {
  const items = GUIDES.map(
    (guide) =>
      html`<li>
        <a href="${pathOf(guide.id)}" ${guide === current ? html` aria-current="page"` : undefined}
          >${guide.title}</a
        >
      </li>`,
  );
  return html`<aside id="contents">
    ${searchForm()}
    <nav aria-label="Guides">
      <ul>
        ${items}
      </ul>
    </nav>
  </aside>`;
}

const pathOf = (id: string): string => (id === 'index' ? GUIDES_PATH : `${GUIDES_PATH}/${id}`);
