// node scripts/repo/guides.mjs [--check]: renders docs/guides/*.md for libs/pages, so that no service needs a Markdown library.
// README.md has the order and the summaries. With --check it writes nothing and fails on an old file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { keepPage } from './pages/keep-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'docs/guides';
const OUTPUT = 'libs/pages/src/guides/guides.json';
const LINE = /^- \[[^\]]+\]\(([\w./-]+)\.md\): (.+)$/gm;

/** The id of a guide by the file that README.md names; `../sandbox` is a guide too. */
const idOf = (file) => file.split('/').at(-1);

/** The path of a linked file on the pages; undefined if no page has it. */
function pathOf(href, suffix = '') {
  const [, file, part = ''] = /^([\w./-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (file === undefined) return href;
  if (file === 'README') return suffix === '' ? '/guides' : `/guides/index${suffix}`;
  if (file === '../errors') return part === '' ? '/errors' : `/errors/${part.slice(1).toUpperCase()}`;
  const id = idOf(file);
  return ids.has(id) ? `/guides/${id}${suffix}${part}` : undefined;
}

/** The id of a heading, as GitHub makes it. */
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Links to pages become paths; other files of the repository are not served, so their links become text. */
const forReaders = (markdown) =>
  markdown.replaceAll(/<!--[^]*?-->\n*/g, '').replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text, href) => {
    const path = pathOf(href, '.md');
    return path === undefined ? text : `[${text}](${path})`;
  });

const markdownIt = new MarkdownIt();
const { rules } = markdownIt.renderer;
rules.heading_open = (tokens, at) => {
  const { tag } = tokens[at];
  const id = slug(tokens[at + 1].children.map(({ content }) => content).join(''));
  return `<${tag} id="${id}"><a class="anchor" href="#${id}">`;
};
rules.heading_close = (tokens, at) => `</a></${tokens[at].tag}>\n`;
// Readers reach code and tables by keyboard, since they may be wider than the page.
rules.fence = (tokens, at) =>
  `<pre tabindex="0"><code>${markdownIt.utils.escapeHtml(tokens[at].content.trimEnd())}</code></pre>\n`;
rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.link_open = (tokens, at, options, _environment, self) => {
  const token = tokens[at];
  token.attrSet(
    'href',
    token
      .attrGet('href')
      .replace(/^(\/guides\/[\w-]+)\.md/, '$1')
      .replace(/^\/guides\/index$/, '/guides'),
  );
  return self.renderToken(tokens, at, options);
};

function render(file, summary) {
  const source = readFileSync(join(ROOT, FOLDER, `${file}.md`), 'utf8');
  const markdown = forReaders(source);
  const [heading, title] = /^# (.+)\n/.exec(markdown);
  const html = markdownIt.render(markdown.slice(heading.length));
  return { id: file === 'README' ? 'index' : idOf(file), title, summary, html, markdown };
}

const readme = readFileSync(join(ROOT, FOLDER, 'README.md'), 'utf8');
const listed = [...readme.matchAll(LINE)].map(([, file, summary]) => ({ file, summary }));
const ids = new Set(listed.map(({ file }) => idOf(file)));
const guides = [render('README', ''), ...listed.map(({ file, summary }) => render(file, summary))];
const faults = keepPage({
  root: ROOT,
  file: OUTPUT,
  text: `${JSON.stringify(guides, null, 2)}\n`,
  check: process.argv.includes('--check'),
  command: 'npm run guides',
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
