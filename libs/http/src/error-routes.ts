import { STATUS_CODES } from 'node:http';
import { ERROR_CODES, type ErrorCode, errorCodeOf, type ErrorEntry, type Language } from '@kontoport/errors';
import { html, type Page } from '@kontoport/pages';
import { codeBlock, GUIDES_PATH } from '@kontoport/pages/reference';
import { z } from 'zod';
import { prefersHtml } from './preference.ts';
import { declareRoute, type Route } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

const KEPT = { 'cache-control': 'public, max-age=300', vary: 'Accept, Accept-Language, X-Language' };
const HEADERS = {
  'Cache-Control': 'The time for which it may be cached.',
  Vary: 'Headers that change the answer.',
};

const explained = z
  .object({
    errorCode: z.string().meta({ description: 'The code.' }),
    statuses: z.array(z.int()).meta({ description: 'The HTTP statuses of the code.' }),
    cause: z.string().meta({ description: 'The cause, in the requested language.' }),
    cure: z.string().meta({ description: 'The remedy of the caller, in the requested language.' }),
  })
  .meta({ id: 'ErrorExplained', description: 'An error code (§7).' });

/** The path of the page of a code, at every address: the `type` of its problem (RFC 9457 §3.1.1). */
export function problemType(code: ErrorCode): string {
  return `/errors/${code}`;
}

/** Every status that a code comes with, its usual one first. */
export function statusesOf(code: ErrorCode): readonly number[] {
  const { status, otherStatuses = [] }: ErrorEntry = ERROR_CODES[code];
  return [status, ...otherStatuses];
}

/** `401 Unauthorized, 403 Forbidden`: what `statusesOf` lists, in words. */
export function statusWords(code: ErrorCode): string {
  return statusesOf(code)
    .map((status) => `${status} ${STATUS_CODES[status]}`)
    .join(', ');
}

/** An example of a problem (RFC 9457) with this code, in a language. */
export function exampleOf(code: ErrorCode, language: Language) {
  const { status, cause } = ERROR_CODES[code];
  const message = cause[language];
  return {
    type: problemType(code),
    title: STATUS_CODES[status],
    status,
    detail: message,
    errorCode: code,
    message,
    requestId: '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e',
  };
}

/** The labels before the parts of an explanation. */
export function explanationLabels(language: Language) {
  const label = (rule: 'errors-title' | 'error-cause' | 'error-cure' | 'error-example'): string =>
    HTTP_TEXTS(rule).in(language);
  return {
    title: label('errors-title'),
    cause: label('error-cause'),
    cure: label('error-cure'),
    example: label('error-example'),
  };
}

/** The page of a code: its statuses, cause, cure and an example. */
function explanationPage(code: ErrorCode, language: Language): Page {
  const { cause, cure } = explain(code, language);
  const labels = explanationLabels(language);
  return {
    language,
    title: code,
    body: html`<p class="soft">${statusWords(code)}</p>
      <dl class="explained">
        <dt>${labels.cause}</dt>
        <dd>${cause}</dd>
        <dt>${labels.cure}</dt>
        <dd>${cure}</dd>
      </dl>
      <h2>${labels.example}</h2>
      ${codeBlock(JSON.stringify(exampleOf(code, language), null, 2))}
      <p><a href="/errors">${HTTP_TEXTS('all-errors').in(language)}</a></p>
      <p>
        <a href="${GUIDES_PATH}/questions#why-do-i-get-${code.toLowerCase()}"
          >${HTTP_TEXTS('error-guide').in(language)}</a
        >
      </p>`,
    developers: { current: '/errors' },
  };
}

/** The page of all codes. */
function explanationsPage(language: Language): Page {
  const items = CODES.map(
    (code) =>
      html`<li id="${code}">
        <a href="${problemType(code)}"><code>${code}</code></a> <span class="soft">${statusWords(code)}</span
        ><br />
        ${ERROR_CODES[code].cause[language]}
      </li>`,
  );
  return {
    language,
    title: explanationLabels(language).title,
    body: html`<ul class="codes">
      ${items}
    </ul>`,
    developers: { current: '/errors' },
  };
}

const explain = (code: ErrorCode, language: Language): z.input<typeof explained> => ({
  errorCode: code,
  statuses: [...statusesOf(code)],
  cause: ERROR_CODES[code].cause[language],
  cure: ERROR_CODES[code].cure[language],
});

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** `GET /errors` and `GET /errors/{errorCode}`: the meaning of each errorCode, public at every address (§7). */
export function errorRoutes(): Route<{ kind: 'public' }>[] {
  return [
    declareRoute({
      method: 'GET',
      path: '/errors',
      clause: '§7',
      summary: 'List the error codes with cause and cure',
      description: 'Needs neither certificate nor token. Browsers get a page.',
      security: { kind: 'public' },
      errors: 'developers',
      answers: {
        200: {
          description: 'The codes.',
          json: z
            .object({ errors: z.array(explained).meta({ description: 'Every code.' }) })
            .meta({ id: 'ErrorsExplained' }),
          example: { errors: [explain('TOKEN_EXPIRED', 'en')] },
          page: true,
          headers: HEADERS,
        },
      },
      handler: async ({ headers, language }) => {
        if (!prefersHtml(headers.accept))
          return {
            status: 200,
            headers: KEPT,
            language,
            json: { errors: CODES.map((code) => explain(code, language)) },
          };
        return { status: 200, headers: KEPT, page: explanationsPage(language) };
      },
    }),
    declareRoute({
      method: 'GET',
      path: '/errors/:errorCode',
      clause: '§7',
      summary: 'Read the cause and cure of an error code',
      description: 'The `type` of a problem is the path of this page. Needs neither certificate nor token.',
      security: { kind: 'public' },
      errors: 'developers',
      params: z.object({
        errorCode: z
          .string()
          .refine((code) => errorCodeOf(code) !== undefined)
          .meta({ description: 'The errorCode.' }),
      }),
      answers: {
        200: {
          description: 'Cause and cure.',
          json: explained,
          example: explain('TOKEN_EXPIRED', 'en'),
          page: true,
          headers: HEADERS,
        },
      },
      handler: async ({ params, headers, language }) => {
        const code = errorCodeOf(params.errorCode)!;
        if (!prefersHtml(headers.accept))
          return { status: 200, headers: KEPT, language, json: explain(code, language) };
        return { status: 200, headers: KEPT, page: explanationPage(code, language) };
      },
    }),
  ];
}
