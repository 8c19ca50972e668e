import type { Guides } from '../guides/guides.ts';
import { html, type Html } from '../html.ts';
import type { Page } from '../page.ts';
import { type Block, blocksToHtml, blocksToMarkdown } from './blocks.ts';
import {
  baseOf,
  type Document,
  entriesOf,
  type Entry,
  type Parameter,
  resolve,
  type Response,
} from './document.ts';
import { fieldsOf } from './fields.ts';
import { operationBlocks } from './operation-blocks.ts';
import { DEVELOPER_SCRIPT_PATH, DOCUMENTATION_PATH, GUIDES_PATH } from './script.ts';
import { searchForm } from './search-form.ts';

/** Words of a search that count: anybody may search. */
const MAX_WORDS = 8;

const SAMPLES = `Each sample is a whole program. It prints the status and the body of the answer, and reads these files in its folder:

- \`chain.pem\`: the client certificate (QWAC), followed by the certificates of its issuers.
- \`key.pem\`: the private key of the client certificate.
- \`ca.pem\`: the certification authority of the server. In the sandbox of \`npm start\` it is \`.local/ca/root.pem\`.
- \`store.p12\`: certificate and key for Java; \`P12_PASSWORD\` opens it.

\`npx kontoport qwac mint --p12\` makes a certificate, its key and \`store.p12\` for the sandbox.`;

/** The pages that describe one interface, made from its OpenAPI document. */
export class Reference {
  readonly #document: Document;
  readonly #base: string;
  readonly #guides: Guides | undefined;
  readonly #entries: Map<string, Entry>;
  /** The words of each entry, from the first search on. */
  #words: Map<string, string> | undefined;
  /** By id; that of the overview is ''. A shell renders each once. */
  readonly #pages = new Map<string, Page>();
  readonly #markdown = new Map<string, string>();
  #llms: string | undefined;

  /**
   * @param options.base the public URL of the address; absent: the default of the document
   * @param options.guides those that a search finds too
   */
  constructor(document: object, options: { base?: string | undefined; guides?: Guides } = {}) {
    this.#document = document as Document;
    this.#base = baseOf(this.#document, options.base);
    this.#guides = options.guides;
    this.#entries = new Map(entriesOf(this.#document).map((entry) => [entry.id, entry]));
  }

  /** The ids of all operations and webhooks. */
  get ids(): string[] {
    return [...this.#entries.keys()];
  }

  /** The first page: what the interface is, and its operations; with a search the operations and guides that have all of its first 8 words. */
  overview(search = ''): Page {
    const words = search.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
    if (words.length === 0) return kept(this.#pages, '', () => this.#overviewPage());
    const known = (this.#words ??= new Map(
      [...this.#entries].map(([id, entry]) => [id, this.#wordsOf(entry)]),
    ));
    const found = this.ids.filter((id) => words.every((word) => known.get(id)!.includes(word.toLowerCase())));
    const guides = this.#guides?.find(words) ?? [];
    const list = [
      ...guides.map(({ title, path }) => html`<li><a href="${path}">${title}</a> <code>Guide</code></li>`),
      ...found.map((id) => this.#entryLine(this.#entries.get(id)!)),
    ];
    const count = list.length === 1 ? '1 result' : `${list.length} results`;
    const body = html`<p role="status">${count} for “${words.join(' ')}”</p>
      <ul class="entries">
        ${list}
      </ul>`;
    return this.#page('Search', body, { current: '', search });
  }

  /** The page of an operation or webhook; undefined for an unknown id. */
  operation(id: string): Page | undefined {
    const entry = this.#entries.get(id);
    return entry && kept(this.#pages, id, () => this.#operationPage(entry));
  }

  /** The overview, or an operation, as Markdown; undefined for an unknown id. */
  markdown(id?: string): string | undefined {
    if (id === undefined)
      return kept(this.#markdown, '', () =>
        markdownOf(this.#document.info.title, this.#overviewBlocks('.md')),
      );
    const entry = this.#entries.get(id);
    return (
      entry &&
      kept(this.#markdown, id, () =>
        markdownOf(titleOf(entry), operationBlocks(this.#document, entry, this.#base)),
      )
    );
  }

  /** A list of the Markdown pages for language models (llmstxt.org). */
  llms(): string {
    return (this.#llms ??= this.#listForModels());
  }

  #listForModels(): string {
    const { title, description = '' } = this.#document.info;
    const [summary = ''] = description.split('\n\n');
    const sections = this.#groups().map(
      ({ name, entries }) =>
        `## ${name}\n\n${entries.map((entry) => `- [${titleOf(entry)}](${this.#base}${pathOf(entry.id)}.md): \`${lineOf(entry)}\``).join('\n')}`,
    );
    return (
      [
        `# ${title}`,
        `> ${summary}`,
        `- [Overview](${this.#base}${DOCUMENTATION_PATH}/index.md)`,
        ...this.#guidesForModels(),
        ...sections,
      ].join('\n\n') + '\n'
    );
  }

  #guidesForModels(): string[] {
    if (this.#guides === undefined) return [];
    const guides = this.#guides.find();
    return [
      `## Guides\n\n${guides.map(({ title, summary, path }) => `- [${title}](${this.#base}${path}.md): ${summary}`).join('\n')}`,
    ];
  }

  #overviewPage(): Page {
    return this.#page(this.#document.info.title, blocksToHtml(this.#overviewBlocks()), { current: '' });
  }

  #operationPage(entry: Entry): Page {
    const body = blocksToHtml(operationBlocks(this.#document, entry, this.#base));
    const more = html`<p class="soft"><a href="${pathOf(entry.id)}.md">This page as Markdown</a></p>`;
    return this.#page(titleOf(entry), html`${body}${more}`, { current: entry.id });
  }

  #overviewBlocks(suffix = ''): Block[] {
    return [
      { kind: 'prose', text: this.#document.info.description ?? '' },
      { kind: 'prose', text: `Base: \`${this.#base}\`` },
      ...(this.#guides === undefined
        ? []
        : [
            {
              kind: 'prose',
              text: `The [guides](${suffix === '' ? GUIDES_PATH : `${GUIDES_PATH}/index.md`}) lead from the first call to production.`,
            } as const,
          ]),
      ...this.#groups().flatMap(({ name, description, entries }): Block[] => [
        { kind: 'heading', level: 2, text: name, id: name.toLowerCase() },
        { kind: 'prose', text: description },
        {
          kind: 'prose',
          text: entries
            .map((entry) => `- [${titleOf(entry)}](${pathOf(entry.id)}${suffix}) \`${lineOf(entry)}\``)
            .join('\n'),
        },
      ]),
      { kind: 'heading', level: 2, text: 'Samples', id: 'samples' },
      { kind: 'prose', text: SAMPLES },
    ];
  }

  #groups(): { name: string; description: string; entries: Entry[] }[] {
    const all = [...this.#entries.values()];
    return (this.#document.tags ?? []).map(({ name, description = '' }) => ({
      name,
      description,
      entries: all.filter(({ operation }) => operation.tags?.includes(name)),
    }));
  }

  #page(title: string, body: Html, { current, search = '' }: { current: string; search?: string }): Page {
    return {
      language: 'en',
      title,
      body: html`<p class="to-contents"><a href="#contents">All operations and search</a></p>
        ${body}`,
      developers: {
        current: DOCUMENTATION_PATH,
        aside: this.#contents(current, search),
        script: DEVELOPER_SCRIPT_PATH,
      },
    };
  }

  #contents(current: string, search: string): Html {
    const groups = this.#groups().map(
      ({ name, entries }) =>
        html`<h2>${name}</h2>
          <ul>
            ${entries.map((entry) => this.#entryLine(entry, entry.id === current))}
          </ul>`,
    );
    return html`<aside id="contents">
      ${searchForm(search)}
      <nav aria-label="Operations">${groups}</nav>
    </aside>`;
  }

  #entryLine(entry: Entry, isCurrent = false): Html {
    const current = isCurrent ? html` aria-current="page"` : undefined;
    return html`<li>
      <a href="${pathOf(entry.id)}" ${current}>${titleOf(entry)}</a> <code>${lineOf(entry)}</code>
    </li>`;
  }

  #wordsOf(entry: Entry): string {
    const { operation } = entry;
    const parameters = (operation.parameters ?? []).map((each) => resolve<Parameter>(this.#document, each));
    const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);
    const answers = Object.values(operation.responses ?? {}).flatMap((each) => {
      const { description, content = {} } = resolve<Response>(this.#document, each);
      const names = Object.values(content).flatMap(({ schema }) => fieldsOf(this.#document, schema));
      return [description, ...names.map(({ name }) => name)];
    });
    const fields = schemas.flatMap((schema) => fieldsOf(this.#document, schema));
    return [
      lineOf(entry),
      titleOf(entry),
      operation.description,
      ...parameters.flatMap(({ name, description }) => [name, description]),
      ...fields.flatMap(({ name, description }) => [name, description]),
      ...answers,
    ]
      .join('\n')
      .toLowerCase();
  }
}

/** The value of a key, made at the first call. */
function kept<T>(values: Map<string, T>, key: string, make: () => T): T {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

const markdownOf = (title: string, blocks: Block[]): string => `# ${title}\n\n${blocksToMarkdown(blocks)}\n`;
const pathOf = (id: string): string => `${DOCUMENTATION_PATH}/${id}`;
const titleOf = ({ operation, name }: Entry): string => operation.summary ?? name;
const lineOf = ({ method, name }: Entry): string => (method === undefined ? name : `${method} ${name}`);
