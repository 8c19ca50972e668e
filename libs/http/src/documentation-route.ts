import { html, type Html, type Page } from '@kontoport/pages';
import { codeBlock } from './code-block.ts';
import { once } from './document-route.ts';
import { declareRoute, type Route } from './route.ts';

/** Where every address describes itself for reading. */
export const DOCUMENTATION_PATH = '/documentation';

interface Operation {
  tags?: readonly string[];
  summary?: string;
  description?: string;
  requestBody?: Described;
  responses?: Readonly<Record<string, Described>>;
}

/** What is described in place, or under the last part of `$ref`. */
interface Described {
  $ref?: string;
  description?: string;
  content?: Readonly<Record<string, { example?: unknown }>>;
}

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What the page tells of an OpenAPI document. */
interface Interface {
  info: { title: string; description?: string };
  tags?: readonly { name: string; description?: string }[];
  paths?: Operations;
  webhooks?: Operations;
  components?: { responses?: Readonly<Record<string, Described>> };
}

/**
 * `GET /documentation`: what the OpenAPI document of an address says, as a page for reading: each operation with its answers and
 * examples, by subject (§9.5). It says nothing of its own, so it is as true as the document.
 * @param load imports the document, at the first call
 */
export function documentationRoute(load: () => Promise<{ default: object }>): Route<{ kind: 'public' }> {
  const page = once(async () => documentationPage((await load()).default as Interface));
  return declareRoute({
    method: 'GET',
    path: DOCUMENTATION_PATH,
    clause: '§9.5',
    summary: 'This interface for reading',
    description: 'Needs neither certificate nor token. What the OpenAPI document says, as a page.',
    security: { kind: 'public' },
    answers: {
      200: {
        description: 'The page.',
        html: true,
        headers: { 'Cache-Control': 'How long it may be kept.' },
      },
    },
    handler: async () => ({
      status: 200,
      headers: { 'cache-control': 'public, max-age=300' },
      page: await page(),
    }),
  });
}

/** The page of an interface. */
function documentationPage(described: Interface): Page {
  const { info, tags = [], paths = {}, webhooks = {} } = described;
  const operations = [
    ...operationsOf(paths, (method, path) => `${method.toUpperCase()} ${path}`),
    ...operationsOf(webhooks, (_method, event) => event),
  ];
  const sections = tags.map(
    ({ name, description = '' }) =>
      html`<h2>${name}</h2>
        ${prose(description)}
        ${operations
          .filter(({ operation }) => operation.tags?.includes(name))
          .map(({ title, operation }) => operationPart(title, operation, described))}`,
  );
  return {
    language: 'en',
    title: info.title,
    body: html`${prose(info.description ?? '')} ${sections}`,
    developers: { current: DOCUMENTATION_PATH },
  };
}

const operationsOf = (all: Operations, title: (method: string, name: string) => string) =>
  Object.entries(all).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: title(method, name), operation })),
  );

function operationPart(title: string, operation: Operation, { components }: Interface): Html {
  const { summary = '', description = '', requestBody, responses = {} } = operation;
  const answers = Object.entries(responses).map(([status, given]) => {
    const answer = given.$ref === undefined ? given : components?.responses?.[given.$ref.split('/').at(-1)!];
    const example = status.startsWith('2') ? exampleOf(answer) : undefined;
    return html`<dt>${status}</dt>
      <dd>${prose(answer?.description ?? '')}${example}</dd>`;
  });
  return html`<h3><code>${title}</code></h3>
    <p><strong>${inline(summary)}</strong></p>
    ${prose(description)} ${exampleOf(requestBody)}
    <dl>${answers}</dl>`;
}

function exampleOf(described: Described | undefined): Html | undefined {
  const [example] = Object.values(described?.content ?? {}).flatMap((content) => content.example ?? []);
  return example === undefined ? undefined : codeBlock(JSON.stringify(example, null, 2));
}

/** Paragraphs and lists of the document's own prose. */
const prose = (text: string): Html[] =>
  text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('- ')
        ? html`<ul>
            ${part
              .slice(2)
              .split('\n- ')
              .map((item) => html`<li>${inline(item)}</li>`)}
          </ul>`
        : html`<p>${inline(part)}</p>`,
    );

/** A sentence with its code. */
const inline = (text: string): Html =>
  text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
    // Without whitespace between them.
    .reduce((all, part) => html`${all}${part}`);
