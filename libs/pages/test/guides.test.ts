import { Shell } from '@kontoport/pages';
import { Guides } from '@kontoport/pages/guides';
import { Reference } from '@kontoport/pages/reference';

const MAX_BYTES = 300 * 1024;
const ADDRESSES = {
  base_url: 'https://api.bank.test/x?a=1&b',
  registration_url: 'https://registration.bank.test',
  auth_url: 'https://auth.bank.test',
  user_url: 'https://user.bank.test',
};
const shell = new Shell({ addresses: ADDRESSES });
const guides = new Guides(ADDRESSES);
const paths = guides.find().map(({ path }) => path);
const ids = ['index', ...paths.map((path) => path.replace('/guides/', ''))];
const htmlOf = (id: string): string => shell.render(guides.page(id)!).html;
const idsIn = (page: string): string[] => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

/** Whether a link of a guide leads to a page, and to an id on it. */
function leads(href: string, from: string): boolean {
  const [path = '', part] = href.split('#');
  const id = path === '' ? from : (path.split('/')[2] ?? 'index').replace(/\.md$/, '');
  return ids.includes(id) && (part === undefined || idsIn(htmlOf(id)).includes(part));
}

describe('the guides (§9.5)', () => {
  it.each(ids)('%s is a page of at most 300 KB whose ids and links within the guides exist', (id) => {
    const page = htmlOf(id);
    expect(Buffer.byteLength(page)).toBeLessThan(MAX_BYTES);
    const own = idsIn(page);
    expect(own).toHaveLength(new Set(own).size);
    const links = [...page.matchAll(/href="(\/guides[^"]*|#[^"]*)"/g)].map(([, href]) => href!);
    expect(links.filter((href) => !leads(href, id))).toEqual([]);
  });

  it.each(ids)('%s links to no file of the repository, and shows no comment', (id) => {
    for (const text of [htmlOf(id), guides.markdown(id)!]) {
      expect(text).not.toMatch(/href="(?!\/|#|https:)|\]\((?!\/|#|https:)/);
      expect(text).not.toMatch(/<!--|&lt;!--/);
    }
  });

  it('lead from each to the next', () => {
    for (const [at, id] of ids.slice(0, -1).entries()) {
      const next = ids[at + 1]!;
      expect(htmlOf(id)).toContain(`<a href="/guides/${next}" rel="next">`);
      expect(htmlOf(next)).toContain(`<a href="/guides${id === 'index' ? '' : `/${id}`}" rel="prev">`);
    }
  });

  it('name the addresses of the environment, escaped, in pages and Markdown', () => {
    expect(htmlOf('first-call')).toContain('https://api.bank.test/x?a=1&amp;b/accounts');
    expect(guides.markdown('first-call')).toContain('https://api.bank.test/x?a=1&b/accounts');
    for (const id of ids) expect(htmlOf(id) + guides.markdown(id)!).not.toMatch(/localhost:844/);
  });

  it('are rendered once', () => {
    expect(shell.render(guides.page('paging')!)).toBe(shell.render(guides.page('paging')!));
  });

  it('are linked by the reference, and found by its search if they have all words', () => {
    const reference = new Reference({ info: { title: 'Bank' } }, { guides });
    expect(reference.overview().body.text).toContain('The <a href="/guides">guides</a> lead');
    expect(reference.markdown()).toContain('The [guides](/guides/index.md) lead');
    const found = (search: string): string => reference.overview(search).body.text;
    expect(found('NEXTCURSOR overlap')).toContain('<a href="/guides/paging">Paging</a>');
    expect(found('nextCursor overlap nowhere-at-all')).toContain('0 results');
    expect(reference.llms()).toContain(
      '- [Paging](https://localhost/guides/paging.md): Read every transaction',
    );
  });
});
