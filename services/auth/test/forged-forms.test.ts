import { randomUUID } from 'node:crypto';
import type { TestBrowser } from './browser.ts';
import { expectGuarded, formsOf } from './page.ts';
import { type Identified, openPagesScene, type PagesScene } from './pages-scene.ts';
import { USER_URL } from './running.ts';

let scene: PagesScene;
let userOrigin: string;

beforeAll(async () => {
  scene = await openPagesScene('Fjord Budget');
  ({ userOrigin } = scene);
}, 120_000);
afterAll(() => scene.around.close());
beforeEach(() => scene.forget());

type Sent = [form: Record<string, string> | string, headers?: Record<string, string>];

describe('a form that is not the page’s own (§5.9)', () => {
  it.each<[string, number, (request: Identified) => Sent | Promise<Sent>]>([
    ['without token', 400, ({ yes }) => [without(yes, 'token')]],
    ['with an empty token', 409, ({ yes }) => [{ ...yes, token: '' }]],
    ['with a token that is none', 409, ({ yes }) => [{ ...yes, token: 'x'.repeat(43) }]],
    ['with an endless token', 400, ({ yes }) => [{ ...yes, token: 'x'.repeat(101) }]],
    ['with the token of the other button', 409, ({ yes, refuse }) => [{ ...yes, ...refuse.fields }]],
    ['with the token of another user', 409, ({ yes }) => [{ ...yes, user: randomUUID() }]],
    ['without user', 400, ({ yes }) => [without(yes, 'user')]],
    [
      'with the token of another request of the same browser',
      409,
      async ({ yes, browser }) => {
        const { location } = await scene.open({}, browser);
        const { user } = formsOf(await browser.visit(userOrigin + location!));
        return [{ ...yes, token: user!.fields.token! }];
      },
    ],
    [
      'with the token of another browser',
      409,
      async ({ yes }) => [{ ...yes, token: (await scene.identified()).yes.token! }],
    ],
    ['from another browser', 404, async ({ yes }) => [yes, { cookie: cookieOf(await scene.begin()) }]],
    ['without cookie', 404, ({ yes }) => [yes, { cookie: 'a=b' }]],
    [
      'with two keys',
      404,
      ({ yes, browser }) => [yes, { cookie: `${cookieOf({ browser })}; ${cookieOf({ browser })}` }],
    ],
    ['from another origin', 409, ({ yes }) => [yes, { origin: 'https://evil.test' }]],
    ['from our name over http', 409, ({ yes }) => [yes, { origin: USER_URL.replace('https', 'http') }]],
    ['from another site', 409, ({ yes }) => [yes, { 'sec-fetch-site': 'cross-site' }]],
    ['from another host of our site', 409, ({ yes }) => [yes, { 'sec-fetch-site': 'same-site' }]],
    ['that nobody sent from a page', 409, ({ yes }) => [yes, { 'sec-fetch-site': 'none' }]],
    ['with a field twice', 400, ({ yes }) => [`${new URLSearchParams(yes).toString()}&user=${yes.user}`]],
    ['with an unknown field', 400, ({ yes }) => [{ ...yes, more: 'x' }]],
    [
      'with a box that is not ticked but filled',
      400,
      ({ yes, approve }) => [{ ...yes, [approve.choices[0]!.name]: '1' }],
    ],
    ['with an account that is not theirs', 400, ({ yes }) => [{ ...yes, [`account.${randomUUID()}`]: 'on' }]],
    ['with an account that is no id', 400, ({ yes }) => [{ ...yes, 'account.x': 'on' }]],
    [
      'with 101 accounts',
      400,
      ({ yes }) => [
        {
          ...yes,
          ...Object.fromEntries(Array.from({ length: 100 }, () => [`account.${randomUUID()}`, 'on'])),
        },
      ],
    ],
    ['of more than 64 KB', 413, ({ yes }) => [{ ...yes, more: 'x'.repeat(65 * 1024) }]],
    ['as JSON', 415, ({ yes }) => [yes, { 'content-type': 'application/json' }]],
  ])('is refused and decides nothing: %s (%i)', async (_what, status, change) => {
    const request = await scene.identified();
    const [form, headers] = await change(request);
    const answer = await request.browser.send(userOrigin + request.approve.action, form, headers);
    expect(answer.status).toBe(status);
    expectGuarded(answer);
    expect(answer.headers.get('refresh')).toBeNull();
    expect(await scene.decisions()).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['our origin', { origin: USER_URL }],
    ['the null that our pages cause', { origin: 'null' }],
    ['our site', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ])('is accepted from %s', async (_where, headers) => {
    const { browser, approve, yes } = await scene.identified();
    expect((await browser.send(userOrigin + approve.action, yes, headers)).status).toBe(200);
  });

  it.each(['user', 'refuse'])(
    'is none of %s, either, from another site or with another token',
    async (step) => {
      const { browser, page } = await scene.begin();
      const { action, fields, choices } = formsOf(page)[step]!;
      const form = step === 'user' ? { ...fields, user: choices[0]!.value } : fields;
      const foreign = await browser.send(userOrigin + action, form, { 'sec-fetch-site': 'cross-site' });
      const wrong = await browser.send(userOrigin + action, { ...form, token: 'x'.repeat(43) });
      expect([foreign.status, wrong.status]).toEqual([409, 409]);
      expect([...foreign.headers.getSetCookie(), ...wrong.headers.getSetCookie()]).toEqual([]);
      expect(await scene.decisions()).toEqual([]);
    },
  );

  it.each([
    ['GET', 'approve'],
    ['PUT', 'user'],
    ['DELETE', 'refuse'],
  ])('is 405 by %s of %s', async (method, step) => {
    const { browser, path } = await scene.begin();
    const answer = await browser.visit(`${userOrigin}${path}/${step}`, { method });
    expect(answer.status).toBe(405);
    expectGuarded(answer);
  });
});

function without(form: Record<string, string>, field: string): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));
}

function cookieOf({ browser }: { browser: TestBrowser }): string {
  return `__Host-kontoport-browser=${browser.cookies.get('__Host-kontoport-browser')}`;
}
