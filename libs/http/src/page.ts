import type { ApiError, Language } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Of a page: no script, no style, no foreign resource, no frame around it, and no address of ours for the next one. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** What a page tells of a refusal. */
export interface Failure {
  error: ApiError;
  language: Language;
  requestId: string;
}

/** Renders the page of a refusal; its headers stand in place of `PAGE_HEADERS`. */
export type ErrorPage = (failure: Failure) => {
  html: string;
  headers?: Readonly<Record<string, string>>;
};

/** Shape of error bodies: RFC 6749 §5.2 for OAuth clients, a page for people; default JSON. */
export type ErrorForm = 'oauth' | 'html' | ErrorPage;

/** A plain page, for routes without one of their own. */
export const plainErrorPage: ErrorPage = ({ error, language, requestId }) => {
  const title = HTTP_TEXTS('page-title').in(language);
  const request = HTTP_TEXTS('page-request', { requestId }).in(language);
  return {
    html: plainPage({
      language,
      title,
      body: `<p>${escapeHtml(error.messageIn(language))}</p>\n<p>${escapeHtml(request)}</p>`,
    }),
  };
};

/** A page without style; `body` is HTML that follows the heading. */
export function plainPage(page: { language: Language; title: string; body: string }): string {
  const title = escapeHtml(page.title);
  return `<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${page.body}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for the inside of an element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
