import { createHash } from 'node:crypto';
import { escapeHtml } from '@kontoport/pages';
import type { ApprovedPayment } from '@kontoport/proto/bank/v1';
import type { Authentication } from './authentications.ts';
import { USERS } from './users.ts';

const STYLE = `body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h1{font-size:1.5rem}label{display:block;margin:1rem 0 .25rem}select,input,button{font:inherit;padding:.5rem .75rem}
button{margin:1.5rem .75rem 0 0;cursor:pointer}.fault{color:#a00000}dt{font-weight:600}dd{margin:0 0 .75rem}a{color:#00458a}`;

/** No scripts, no resources of other sites, no frames, no cache. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<p>Example bank</p>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** The login page, for a login that Kontoport began or for the app. */
export function loginPage(options: {
  action: string;
  fields: Readonly<Record<string, string>>;
  clientName: string;
  isWrong: boolean;
  canGiveUp: boolean;
}): string {
  const { action, fields, clientName, isWrong, canGiveUp } = options;
  const users = USERS.map(
    ({ userId, name }) => `<option value="${userId}">${escapeHtml(name)}</option>`,
  ).join('');
  const asks = clientName === '' ? '' : `<p>${escapeHtml(clientName)} has sent you here.</p>`;
  const fault = isWrong ? '<p class="fault" role="alert">The code is not right.</p>' : '';
  return page(
    'Log in',
    `${asks}${fault}<form method="post" action="${escapeHtml(action)}">
${Object.entries(fields)
  .map(([name, value]) => hidden(name, value))
  .join('')}
<label for="user">User</label><select id="user" name="user">${users}</select>
<label for="code">Code</label><input id="code" name="code" type="password" autocomplete="off">
<div><button name="do" value="log-in">Log in</button>
${canGiveUp ? '<button name="do" value="give-up">Cancel</button>' : ''}</div>
</form>`,
  );
}

/** The approvals that wait for a user. The page reloads itself. */
export function appPage(name: string, waiting: readonly Authentication[]): string {
  const items = waiting.map(
    ({ request }) =>
      `<li><a href="/app/${request.authenticationId}">${escapeHtml(request.clientName)}: ${request.payments.length} payment(s)</a></li>`,
  );
  return page(
    'To approve',
    `<p>${escapeHtml(name)}</p>
${items.length === 0 ? '<p>Nothing waits for you.</p>' : `<ul>${items.join('')}</ul>`}
<form method="post" action="/app/log-out"><button>Log out</button></form>`,
  );
}

/** Amount and payee of each payment, and the TPP that asks. */
export function approvalPage({ request }: Authentication, status: string, proof: string): string {
  const rows = request.payments.map(
    ({ amount, creditor }) =>
      `<dt>${escapeHtml(`${amount?.value} ${amount?.currency}`)}</dt><dd>to ${escapeHtml(payee({ creditor }))}</dd>`,
  );
  const form = `<form method="post" action="/app/${request.authenticationId}">${hidden('proof', proof)}
<button name="answer" value="APPROVED">Approve</button><button name="answer" value="DECLINED">Decline</button></form>`;
  return page(
    status === 'PENDING' ? 'Approve payments?' : `This is ${status.toLowerCase()}`,
    `<p>Asked by ${escapeHtml(request.clientName)}.</p><dl>${rows.join('')}</dl>
${status === 'PENDING' ? form : '<p><a href="/app">Back</a></p>'}`,
  );
}

function payee({ creditor }: Pick<ApprovedPayment, 'creditor'>): string {
  const { name = '', account } = creditor ?? {};
  return account === undefined ? name : `${name}, ${account.$case} ${account.value}`;
}

/** A page that only has a message. */
export function plainPage(title: string): string {
  return page(title, '<p>Go back to where you came from, and begin again.</p>');
}
