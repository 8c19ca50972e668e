import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Closable, describeError, type Logger } from '@kontoport/lifecycle';
import { type Authentications, statusOf } from './authentications.ts';
import { appPage, approvalPage, loginPage, PAGE_HEADERS, plainPage } from './html.ts';
import type { Logins } from './logins.ts';
import type { Proofs } from './proofs.ts';
import { type BankUser, findUser, USERS } from './users.ts';

const MAX_BYTES = 32_768;
const SESSION_MS = 30 * 60_000;
const COOKIE = 'example-bank';
const REFRESH_SECONDS = 2;

/** The dependencies of the pages. */
export interface Pages {
  logins: Logins;
  authentications: Authentications;
  proofs: Proofs;
  logger: Logger;
}

/** An answer to the browser. */
interface Answer {
  status: number;
  html?: string;
  headers?: Record<string, string>;
}

interface Asked {
  method: string;
  url: URL;
  /** The form of a POST. */
  form: URLSearchParams;
  user: BankUser | undefined;
  now: number;
}

/** Serves the bank's login, and its app, in which users approve payments. */
export async function startPages(pages: Pages, port: number): Promise<Closable & { port: number }> {
  const server = createServer((request, response) => {
    answer(pages, request)
      .catch((error: unknown): Answer => {
        pages.logger.error({ error: describeError(error) }, 'page failed');
        return { status: 500, html: plainPage('This did not work') };
      })
      .then((reply) => send(response, reply))
      .catch((error: unknown) => pages.logger.error({ error: describeError(error) }, 'answer not sent'));
  });
  server.requestTimeout = 10_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, { status, html = '', headers = {} }: Answer): void {
  // With few requests a kept connection would end as the next request comes.
  response.writeHead(status, { ...PAGE_HEADERS, connection: 'close', ...headers }).end(html);
}

async function answer(pages: Pages, request: IncomingMessage): Promise<Answer> {
  const { method = '', headers, url = '/' } = request;
  const now = Date.now();
  const form = method === 'POST' ? await readForm(request) : new URLSearchParams();
  if (form === undefined) return { status: 413, html: plainPage('Too long') };
  const asked = {
    method,
    url: new URL(url, 'http://bank'),
    form,
    user: userOf(pages, headers.cookie, now),
    now,
  };
  const { pathname } = asked.url;
  if (pathname === '/login') return login(pages, asked);
  if (pathname === '/app') return app(pages, asked);
  if (pathname === '/app/log-out' && method === 'POST')
    return { status: 303, headers: { location: '/app', 'set-cookie': cookie('', 0) } };
  if (pathname.startsWith('/app/')) return approval(pages, asked, pathname.slice('/app/'.length));
  return { status: 404, html: plainPage('There is no such page') };
}

/** @returns undefined for a form that is too long */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString());
}

/** Returns the user who sent the right code. */
function provenUser(form: URLSearchParams): BankUser | undefined {
  return USERS.find(({ userId, code }) => userId === form.get('user') && code === form.get('code'));
}

/** Serves a login that Kontoport began. `of` identifies it. */
function login({ logins }: Pages, { method, url, form, now }: Asked): Answer {
  const of = url.searchParams.get('of') ?? form.get('of') ?? '';
  const begun = logins.read(of, now);
  if (begun === undefined) return { status: 404, html: plainPage('This login is not open any more') };
  const user = provenUser(form);
  const isGivenUp = form.get('do') === 'give-up';
  if (method === 'POST' && (isGivenUp || user !== undefined))
    return { status: 303, headers: { location: logins.end(begun, isGivenUp ? undefined : user, now) } };
  const { clientName } = begun;
  const isWrong = method === 'POST';
  const html = loginPage({ action: '/login', fields: { of }, clientName, isWrong, canGiveUp: true });
  return { status: 200, html };
}

/** Serves the app: the approvals that wait for the user. */
async function app(
  { authentications, proofs }: Pages,
  { method, url, form, user, now }: Asked,
): Promise<Answer> {
  const next = url.searchParams.get('next') ?? form.get('next') ?? '';
  const proven = method === 'POST' ? provenUser(form) : undefined;
  if (proven !== undefined) {
    const session = proofs.make('session', proven.userId, now + SESSION_MS);
    const location = /^[A-Za-z0-9_-]+$/.test(next) ? `/app/${next}` : '/app';
    return { status: 303, headers: { location, 'set-cookie': cookie(session, SESSION_MS / 1_000) } };
  }
  if (user === undefined || method === 'POST') {
    const isWrong = method === 'POST';
    if (isWrong && (await authentications.countWrongCode(next, form.get('user') ?? '', now)))
      return { status: 403, html: plainPage('Too many wrong codes') };
    const fields = { next };
    return {
      status: 200,
      html: loginPage({ action: '/app', fields, clientName: '', isWrong, canGiveUp: false }),
    };
  }
  const html = appPage(user.name, authentications.waitingFor(user.userId, now));
  return { status: 200, html, headers: { refresh: String(REFRESH_SECONDS) } };
}

/** Serves one approval to its user; 404 to others. */
async function approval(
  { authentications, proofs }: Pages,
  { method, form, user, now }: Asked,
  id: string,
): Promise<Answer> {
  if (user === undefined)
    return { status: 303, headers: { location: `/app?next=${encodeURIComponent(id)}` } };
  const asked = authentications.find(id);
  if (asked?.request.userId !== user.userId)
    return { status: 404, html: plainPage('There is no such approval') };
  const purpose = `answer ${id}`;
  const said = form.get('answer');
  if (method === 'POST' && (said === 'APPROVED' || said === 'DECLINED')) {
    // The proof comes from this page for this user, so no other site can make the form.
    if (proofs.read(purpose, form.get('proof') ?? '', now) !== user.userId)
      return { status: 409, html: plainPage('This form is too old') };
    await authentications.answer(id, said, now);
    return { status: 303, headers: { location: `/app/${id}` } };
  }
  const proof = proofs.make(purpose, user.userId, now + SESSION_MS);
  return { status: 200, html: approvalPage(asked, statusOf(asked, now), proof) };
}

function userOf({ proofs }: Pages, header = '', now: number): BankUser | undefined {
  const pair = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(`${COOKIE}=`));
  const userId = proofs.read('session', pair?.slice(COOKIE.length + 1) ?? '', now);
  return typeof userId === 'string' ? findUser(userId) : undefined;
}

function cookie(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Path=/app; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
}
