import { html, type Html } from '@kontoport/pages';
import { type Answer, type Call, explainRefusal, type Session } from '@kontoport/profile';
import base from '@kontoport/proto/openapi/account-and-payment' with { type: 'json' };
import registration from '@kontoport/proto/openapi/registration' with { type: 'json' };
import type { Request } from 'express';
import type { Screen } from './screen.ts';

interface Operation {
  id: string;
  method: string;
  /** With `{parameters}`. */
  path: string;
  address: 'baseUrl' | 'registrationUrl';
  summary: string;
  /** JSON of the example of a body, for operations that take one. */
  example?: string;
}

interface Described {
  operationId: string;
  summary: string;
  security?: readonly object[];
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> };
}

/** Longer answers are cut. */
const MAX_SHOWN = 100_000;

/** The operations that take a token. */
const OPERATIONS: readonly Operation[] = [
  ...operationsOf(base, 'baseUrl'),
  ...operationsOf(registration, 'registrationUrl'),
];

function operationsOf({ paths }: { paths: object }, address: Operation['address']): Operation[] {
  return Object.entries(paths as Readonly<Record<string, Readonly<Record<string, Described>>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security = [] }]) => security.length > 0)
        .map(([method, { operationId, summary, requestBody }]) => ({
          id: operationId,
          method: method.toUpperCase(),
          path,
          address,
          summary,
          ...(requestBody && {
            example: JSON.stringify(requestBody.content['application/json']?.example ?? {}, undefined, 2),
          }),
        })),
  );
}

const found = (id: unknown): Operation => OPERATIONS.find((each) => each.id === id) ?? OPERATIONS[0]!;

/** Shows a form for a call of an operation. */
export async function tryPage(_session: Session, { query }: Request): Promise<Screen> {
  const operation = found(query.operation);
  return screenOf(operation, { path: operation.path, body: operation.example });
}

/** Makes the call of a form, as the client, and shows the answer. */
export async function tryCall(session: Session, request: Request): Promise<Screen> {
  const form = request.body as { operation?: string; path?: string; body?: string };
  const operation = found(form.operation);
  const { path = operation.path, body = operation.example } = form;
  const unfilled = /\{\w+\}/.exec(path)?.[0];
  if (!path.startsWith('/') || unfilled !== undefined)
    return screenOf(
      operation,
      { path, body },
      html`<p class="fault">
        ${unfilled === undefined ? 'The path begins with /.' : `Replace ${unfilled} in the path by a value.`}
      </p>`,
    );
  const call: Call = {
    method: operation.method,
    url: session.stack[operation.address] + path,
    headers: {
      accept: 'application/json',
      ...(operation.example !== undefined && { 'content-type': 'application/json' }),
    },
    ...(operation.example !== undefined && { body }),
  };
  return screenOf(operation, { path, body }, answerOf(call, await session.send(call)));
}

function screenOf(
  chosen: Operation,
  { path, body }: { path: string; body: string | undefined },
  answer?: Html,
): Screen {
  return {
    title: 'Try it',
    body: html`<form method="get" action="/try" class="filter">
        <label
          >Operation
          <select name="operation">
            ${OPERATIONS.map(
              ({ id, method, path: template }) =>
                html`<option value="${id}" ${id === chosen.id ? html` selected` : undefined}>
                  ${method} ${template}
                </option>`,
            )}
          </select></label
        >
        <button>Choose</button>
      </form>
      <p>${chosen.summary}</p>
      <form method="post" action="/try">
        <input type="hidden" name="operation" value="${chosen.id}" />
        <p>
          <label
            >Path and query<br /><input name="path" value="${path}" size="60" maxlength="2000" required
          /></label>
        </p>
        ${
          chosen.example === undefined
            ? undefined
            : html`<p>
                <label
                  >Body<br /><textarea name="body" rows="12" cols="60" spellcheck="false">${body}</textarea>
                </label>
              </p>`
        }
        <button class="chief">${chosen.method}</button>
      </form>
      ${answer}`,
  };
}

function answerOf(call: Call, answer: Answer): Html {
  const text = answer.body.toString('utf8').slice(0, MAX_SHOWN);
  const cure = answer.status >= 400 ? explainRefusal(call, answer).slice(1).join('\n') : undefined;
  return html`<h2>${answer.status}, ${answer.milliseconds} ms</h2>
    <p class="soft">X-Request-Id: <code>${String(answer.headers['x-request-id'])}</code></p>
    ${cure && html`<p class="fault">${cure}</p>`}
    <div class="wide" tabindex="0" role="region" aria-label="Answer"><pre>${pretty(text)}</pre></div>`;
}

/** Indents JSON; other text stays. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
