import type { ApiError, Language } from '@kontoport/errors';
import { html, type Page } from '@kontoport/pages';
import { HTTP_TEXTS } from './texts.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** The content of the page of a refusal. */
export interface Failure {
  error: ApiError;
  language: Language;
  requestId: string;
}

/** Makes the page of a refusal. */
export type ErrorPage = (failure: Failure) => Page;

/**
 * Shape of error bodies: RFC 6749 §5.2 for OAuth clients, a page for the bank's users, a page for developers whose browser prefers
 * one; default JSON.
 */
export type ErrorForm = 'oauth' | 'html' | 'developers' | ErrorPage;

/** The page of a refusal for the bank's users, of routes without one of their own. */
export const userErrorPage: ErrorPage = ({ error, language, requestId }) => {
  const isUnknown = error.status === 404;
  const title = HTTP_TEXTS(isUnknown ? 'user-404-title' : 'page-title').in(language);
  const sentence = isUnknown ? HTTP_TEXTS('user-404').in(language) : error.messageIn(language);
  return {
    language,
    title,
    body: html`<p>${sentence}</p>
      <p class="soft">${HTTP_TEXTS('page-request', { requestId }).in(language)}</p>`,
  };
};

/** The page of a refusal for developers. */
export const developerErrorPage: ErrorPage = ({ error, language, requestId }) => {
  const { code, status } = error;
  return {
    language,
    title: HTTP_TEXTS(status === 404 ? 'no-page' : 'page-title').in(language),
    body: html`<p>${error.messageIn(language)}</p>
      <p><a href="/errors/${code}">${code}</a></p>
      <p class="soft">${HTTP_TEXTS('page-request', { requestId }).in(language)}</p>`,
    developers: {},
  };
};
