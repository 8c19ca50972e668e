import { html, Shell } from '@kontoport/pages';
import { Refused, type Session } from '@kontoport/profile';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import type { Access } from './access.ts';
import { accountPage, accountsPage } from './accounts.ts';
import { clientPage } from './client.ts';
import { clockPage } from './clock.ts';
import { paymentsPage } from './payments.ts';
import { requestsPage } from './requests.ts';
import type { Screen } from './screen.ts';
import { tryCall, tryPage } from './try.ts';
import { deliveryPage, subscriptionPage, webhooksPage } from './webhooks.ts';

const MENU = [
  ['/', 'Client'],
  ['/requests', 'Requests'],
  ['/accounts', 'Accounts'],
  ['/payments', 'Payments'],
  ['/webhooks', 'Webhooks'],
  ['/clock', 'Clock and reset'],
  ['/try', 'Try it'],
] as const;

const SCREENS: Readonly<Record<string, (session: Session, request: Request) => Promise<Screen>>> = {
  '/': clientPage,
  '/requests': requestsPage,
  '/accounts': accountsPage,
  '/accounts/:account': accountPage,
  '/payments': paymentsPage,
  '/webhooks': webhooksPage,
  '/webhooks/:id': subscriptionPage,
  '/webhooks/:id/:delivery': deliveryPage,
  '/clock': clockPage,
  '/try': tryPage,
};

const CLOSED: Screen = {
  title: 'The console is closed',
  body: html`<p>
    This browser did not open the link, or the link was used already or is older than five minutes. Start
    <code>npx kontoport console</code> again for another one.
  </p>`,
};

type Send = (request: Request, response: Response, status: number, screen: Screen) => void;

/** Creates the pages of the console. */
export function createApp({ session, access }: { session: Session; access: Access }): Express {
  const send = sender(session);
  const app = express().disable('x-powered-by');
  app.use(guard(access, send));
  app.use(express.urlencoded({ extended: false, limit: '64kb', parameterLimit: 10 }));
  for (const [path, screen] of Object.entries(SCREENS))
    app.get(path, async (request, response) => send(request, response, 200, await screen(session, request)));
  app.post('/try', async (request, response) =>
    send(request, response, 200, await tryCall(session, request)),
  );
  app.use(forms(session));
  app.use((request, response) =>
    send(request, response, 404, { title: 'This page does not exist', body: html`` }),
  );
  app.use((error: Error, request: Request, response: Response, _next: NextFunction) => {
    const isRefusal = error instanceof Refused;
    send(request, response, isRefusal && error.status !== 401 ? error.status : 502, {
      title: isRefusal ? 'The bank refuses the call' : 'The bank does not answer',
      body: html`<pre>${error.message}</pre>`,
    });
  });
  return app;
}

/** Answers with a screen in the look of the other pages. */
function sender({ stack }: Session): Send {
  const { baseUrl, registrationUrl, authUrl, userUrl } = stack;
  const shell = new Shell({
    addresses: { base_url: baseUrl, registration_url: registrationUrl, auth_url: authUrl, user_url: userUrl },
  });
  return (request, response, status, screen) => {
    const aside = html`<aside id="contents">
      <nav aria-label="Console">
        <ul>
          ${MENU.map(
            ([path, name]) =>
              html`<li>
                <a href="${path}" ${path === request.path ? html` aria-current="page"` : undefined}
                  >${name}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
    </aside>`;
    const { html: text, headers } = shell.render({
      language: 'en',
      developers: { aside, menuAt: baseUrl },
      ...screen,
    });
    response
      .status(status)
      // With `no-referrer`, browsers send `Origin: null` with a form, and `guard` would refuse it.
      .set({ ...headers, 'referrer-policy': 'same-origin', 'cache-control': 'no-store' })
      .type('html')
      .send(text);
  };
}

/** Lets the browser in that opened the link, and refuses forms of other sites. */
function guard(access: Access, send: Send): Router {
  const router = express.Router();
  router.use((request, response, next) => {
    if (access.isOwnHost(request.headers.host)) return next();
    send(request, response, 421, {
      title: 'Another host',
      body: html`<p>Open the address that <code>kontoport console</code> printed.</p>`,
    });
  });
  router.get('/open/:key', (request, response) => {
    const cookie = access.open(request.params.key);
    if (cookie === undefined) return send(request, response, 403, CLOSED);
    // After a redirect from another site the browser would leave a strict cookie out.
    send(request, response.set('set-cookie', cookie), 200, {
      title: 'The console is open',
      body: html`<p><a class="button chief" href="/">Continue</a></p>`,
    });
  });
  router.use((request, response, next) => {
    if (!access.isOpenTo(request.headers.cookie)) return send(request, response, 403, CLOSED);
    if (request.method !== 'GET' && !access.isOwnForm(request.headers.origin))
      return send(request, response, 403, { title: 'Another site sent this form', body: html`` });
    next();
  });
  return router;
}

const DAY_MS = 86_400_000;

/** Calls the bank for each form, and leads back to a screen. */
function forms(session: Session): Router {
  const router = express.Router();
  const on = (
    path: string,
    call: (request: Request) => { path: string; json?: unknown; back: string },
  ): void => {
    router.post(path, async (request, response) => {
      const { path: target, json, back } = call(request);
      await session.ask('POST', target, json);
      response.redirect(303, back);
    });
  };
  const part = (request: Request, name: string): string => encodeURIComponent(String(request.params[name]));
  const ofSubscription = (request: Request, action: string) => ({
    path: `/v1/webhook-subscriptions/${part(request, 'id')}/${action}`,
    back: `/webhooks/${part(request, 'id')}`,
  });
  on('/webhooks/:id/test', (request) => ofSubscription(request, 'test'));
  on('/webhooks/:id/resume', (request) => ofSubscription(request, 'resume'));
  on('/webhooks/:id/replay', (request) => {
    const [from, to] = [Date.now() - DAY_MS, Date.now()].map((at) => new Date(at).toISOString());
    return { ...ofSubscription(request, 'replay'), json: { from, to } };
  });
  on('/webhooks/:id/:delivery/resend', (request) => {
    const delivery = part(request, 'delivery');
    const { path, back } = ofSubscription(request, `deliveries/${delivery}/resend`);
    return { path, back: `${back}/${delivery}` };
  });
  on('/clock', ({ body }) => ({
    path: '/sandbox/clock',
    json: { advance: String((body as { advance?: string }).advance) },
    back: '/clock',
  }));
  on('/reset', () => ({ path: '/sandbox/reset', back: '/accounts' }));
  return router;
}
