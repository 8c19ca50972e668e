import { html, type Html } from '../html.ts';
import type { Field } from './fields.ts';

/** A part of a page, which is rendered as HTML and as Markdown. Texts are prose: paragraphs, lists, `code` and [links](/…). */
export type Block =
  | { kind: 'heading'; level: 2 | 3; text: string; id: string }
  | { kind: 'prose'; text: string }
  | { kind: 'code'; language: string; code: string }
  | { kind: 'fields'; fields: readonly Field[]; /** Begins the ids of the fields. */ prefix: string }
  | { kind: 'terms'; terms: readonly { term: string; text: string }[] }
  | { kind: 'choices'; choices: readonly { label: string; language: string; code: string }[] };

/** Renders parts of a page as HTML. */
export function blocksToHtml(blocks: readonly Block[]): Html {
  return html`${blocks.map(blockToHtml)}`;
}

function blockToHtml(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return headingToHtml(block);
    case 'prose':
      return html`${proseToHtml(block.text)}`;
    case 'code':
      return codeBlock(block.code);
    case 'fields':
      return html`<dl class="fields">${block.fields.map((field) => fieldToHtml(field, block.prefix))}</dl>`;
    case 'terms':
      return html`<dl class="explained">
        ${block.terms.map(
          ({ term, text }) =>
            html`<dt>${inline(term)}</dt>
              <dd>${inline(text)}</dd>`,
        )}
      </dl>`;
    case 'choices':
      return html`${block.choices.map(
        ({ label, language, code }, at) =>
          html`<details
            class="sample"
            name="sample"
            id="sample-${language}"
            ${at === 0 ? html`open` : undefined}
          >
            <summary>${label}</summary>
            ${codeBlock(code)}
          </details>`,
      )}`;
  }
}

function headingToHtml({ level, text, id }: Extract<Block, { kind: 'heading' }>): Html {
  const link = html`<a class="anchor" href="#${id}">${text}</a>`;
  return level === 2 ? html`<h2 id="${id}">${link}</h2>` : html`<h3 id="${id}">${link}</h3>`;
}

function fieldToHtml({ name, type, required, description, bounds }: Field, prefix: string): Html {
  return html`<dt id="${fieldId(prefix, name)}">
      <code>${name}</code> <span class="soft">${type}</span>
      ${required ? html`<strong class="required">${presence(prefix)}</strong>` : undefined}
    </dt>
    <dd>
      ${description === '' ? undefined : html`<span>${inline(description)}</span>`}
      ${bounds.length > 0 ? html`<span class="soft">${inline(`${bounds.join('; ')}.`)}</span>` : undefined}
    </dd>`;
}

/** The word for a field that must be sent, or that an answer always has. */
const presence = (prefix: string): string => (prefix.startsWith('answer') ? 'always' : 'required');

/** The id of a field on its page. */
export function fieldId(prefix: string, name: string): string {
  return `${prefix}-${name.replaceAll('[]', '').replaceAll(/[^\w-]+/g, '-')}`;
}

/** Renders code unchanged. Readers reach it by keyboard, since it may be wider than the page. */
export function codeBlock(text: string): Html {
  // On one line, because whitespace within `pre` counts.
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}

function proseToHtml(text: string): Html[] {
  return text
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
}

/** Renders a sentence with its code and links; only links of this site are links. */
function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\(\/[^)\s]*\))/);
  return joined(
    parts.map((part) => {
      const [, code] = /^`([^`]+)`$/.exec(part) ?? [];
      if (code !== undefined) return html`<code>${code}</code>`;
      const [, words, href] = /^\[([^\]]+)\]\((\/[^)\s]*)\)$/.exec(part) ?? [];
      return words === undefined ? html`${part}` : html`<a href="${href}">${inline(words)}</a>`;
    }),
  );
}

/** Joins parts of a sentence, without whitespace between them. */
const joined = (parts: readonly Html[]): Html => parts.reduce((all, part) => html`${all}${part}`, html``);

/** Renders parts of a page as Markdown. */
export function blocksToMarkdown(blocks: readonly Block[]): string {
  return blocks.map(blockToMarkdown).filter(Boolean).join('\n\n');
}

function blockToMarkdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'prose':
      return block.text;
    case 'code':
      return fenced(block);
    case 'fields':
      return block.fields
        .map(({ name, type, required, description, bounds }) => {
          const facts = [type, ...(required ? [presence(block.prefix)] : []), ...bounds].join('; ');
          return `- \`${name}\` (${facts})${description === '' ? '' : `: ${description}`}`;
        })
        .join('\n');
    case 'terms':
      return block.terms.map(({ term, text }) => `- ${term}: ${text}`).join('\n');
    case 'choices':
      return block.choices.map(({ label, ...code }) => `### ${label}\n\n${fenced(code)}`).join('\n\n');
  }
}

const fenced = ({ language, code }: { language: string; code: string }): string =>
  `\`\`\`${language}\n${code}\n\`\`\``;
