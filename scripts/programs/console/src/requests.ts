import { html } from '@kontoport/pages';
import type { Session } from '@kontoport/profile';
import type { Request } from 'express';
import type { Screen } from './screen.ts';
import { nextPage, table, time } from './table.ts';

const RELOAD_SECONDS = 3;
const PAGE = 100;

interface LoggedRequest {
  time: string;
  requestId: string;
  clientId?: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  refusal?: { errorCode: string; message: string; cure: string; explanation: string };
}

/** Shows the latest requests of the organization (GET /sandbox/requests). The first page is live. */
export async function requestsPage(session: Session, request: Request): Promise<Screen> {
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const name of ['status', 'requestId', 'cursor']) {
    const value = request.query[name];
    if (typeof value === 'string' && value !== '') query.set(name, value);
  }
  const { requests, nextCursor } = await session.ask('GET', `/sandbox/requests?${query.toString()}`);
  const rows = (requests as LoggedRequest[]).map((each) => [
    time(each.time),
    html`<code>${each.method} ${each.route}</code>`,
    html`<strong>${each.status}</strong>`,
    `${each.milliseconds} ms`,
    each.refusal === undefined
      ? 'accepted'
      : html`<a href="${new URL(each.refusal.explanation, session.stack.baseUrl).href}"
            >${each.refusal.errorCode}</a
          >
          ${each.refusal.message} <br /><span class="soft">${each.refusal.cure}</span>`,
    html`<code>${each.requestId}</code>`,
  ]);
  const isLive = query.size === 1;
  query.delete('limit');
  query.delete('cursor');
  return {
    title: 'Requests',
    ...(isLive && { reloadAfter: RELOAD_SECONDS }),
    body: html`<form method="get" action="/requests" class="filter">
        <label
          >Status
          <input name="status" value="${query.get('status') ?? ''}" placeholder="4xx" size="5" maxlength="3"
        /></label>
        <label
          >Request id
          <input name="requestId" value="${query.get('requestId') ?? ''}" size="36" maxlength="128"
        /></label>
        <button>Filter</button>
      </form>
      ${table(
        ['Time', 'Route', 'Status', 'Took', 'Verdict', 'Request id'],
        rows,
        'No request is in the log. Send one, for example with npx kontoport call GET /accounts.',
      )}
      ${nextPage(`/requests?${query.toString()}`, nextCursor)}
      ${isLive ? html`<p class="soft">This page reloads every ${RELOAD_SECONDS} seconds.</p>` : undefined}`,
  };
}
