import { interfaceRoutes } from '@kontoport/http';
import { Shell } from '@kontoport/pages';
import { route, serve } from './served.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const NAME = 'Nordhavn <script>alert(1)</script>';
const WRITTEN = 'Nordhavn &lt;script&gt;alert(1)&lt;/script&gt;';
const LOGO = 'data:image/png;base64,iVBORw0KGgo=';
const ADDRESSES = {
  base_url: 'https://api.bank.test',
  registration_url: 'https://registration.bank.test',
  auth_url: 'https://auth.bank.test',
  user_url: 'https://user.bank.test',
};

const shell = new Shell({ brand: { name: NAME, color: '#ffe600', logo: LOGO }, addresses: ADDRESSES });
const load = async () => ({ default: { info: { title: 'Bank' } } });
const routes = [
  ...interfaceRoutes({ address: 'base_url', environment: 'sandbox', load }),
  route({
    method: 'GET',
    path: '/known',
    security: { kind: 'known' },
    handler: async () => ({ status: 204 }),
  }),
];

const servers: Awaited<ReturnType<typeof serve>>[] = [];
let developers: string;
let oauth: string;
let users: string;
beforeAll(async () => {
  servers.push(
    await serve({ routes, shell }),
    await serve({ routes, shell, errors: 'oauth' }),
    await serve({ routes, shell, errors: 'html' }),
  );
  [developers, oauth, users] = servers.map(({ origin }) => origin) as [string, string, string];
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const visit = (url: string, language = 'en') =>
  fetch(url, { headers: { accept: BROWSER, 'x-language': language } });

describe('the pages of an address (§9.5)', () => {
  const PATHS = ['/', '/errors', '/errors/TOKEN_EXPIRED', '/nothing', '/errors/NOTHING'];

  it.each(PATHS)(
    '%s has the name, logo and menu, links to the other addresses, and runs no script',
    async (path) => {
      const response = await visit(developers + path);
      const page = await response.text();
      expect(page).toContain(`<span>${WRITTEN}</span>`);
      expect(page).not.toContain('<script');
      for (const link of ['/', '/guides', '/documentation', '/errors'])
        expect(page).toContain(`href="${link}"`);
      for (const url of Object.values(ADDRESSES)) expect(page).toContain(`href="${url}/"`);
      expect(page).toContain(`src="${LOGO}"`);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']{44}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      );
    },
  );
});

describe('the page of an error code (§7)', () => {
  it.each(['TOKEN_EXPIRED', 'CERTIFICATE_INVALID'])('%s leads to its answer in the guides', async (code) => {
    const page = await (await visit(`${developers}/errors/${code}`, 'da')).text();
    const [, path, id] = /href="(\/guides[^"#]+)#([^"]+)"/.exec(page)!;
    expect(await (await visit(developers + path)).text()).toContain(
      `<h3 id="${id}"><a class="anchor" href="#${id}">Why do I get ${code}?`,
    );
  });
});

describe('a path that nobody serves (§4)', () => {
  it.each(['developers', 'oauth'] as const)('has a page for a browser at an address of %s', async (kind) => {
    const response = await visit(`${kind === 'oauth' ? oauth : developers}/<b>`, 'sv');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-language')).toBe('sv');
    const page = await response.text();
    expect(page).toContain('<h1>Det finns inget på den här sökvägen</h1>');
    expect(page).toContain('href="/errors/ROUTE_UNKNOWN"');
    expect(page).not.toContain('<b>');
  });

  it.each(['developers', 'oauth', 'users'] as const)(
    'is JSON for a program at an address of %s',
    async (kind) => {
      const response = await fetch(`${{ developers, oauth, users }[kind]}/nothing`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toMatchObject({ errorCode: 'ROUTE_UNKNOWN' });
    },
  );

  it.each([
    ['en', 'You can close this page.'],
    ['da', 'Du kan lukke siden.'],
    ['sv', 'Du kan stänga sidan.'],
    ['nb', 'Du kan lukke siden.'],
  ])('tells a user of the bank how to go on, in %s', async (language, sentence) => {
    const page = await (await visit(`${users}/approval`, language)).text();
    expect(page).toContain(`<html lang="${language}">`);
    expect(page).toContain(sentence);
    expect(page).toContain(`<span>${WRITTEN}</span>`);
    expect(page).not.toContain('No route');
    expect(page).not.toContain('href="/documentation"');
  });
});

it('a route for programs refuses a browser in JSON (§7)', async () => {
  const response = await visit(`${developers}/known`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ errorCode: 'CERTIFICATE_MISSING' });
});
