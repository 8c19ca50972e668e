import type { ApiError, Text } from '@kontoport/errors';
import type { ErrorPage } from '@kontoport/http';
import { html } from '@kontoport/pages';
import { PAGE_TEXTS } from './texts.ts';

/** The words of an error page. */
interface ErrorWords {
  title: Text;
  text: Text;
  link?: { href: string; text: Text };
}

/**
 * Renders refusals as pages with a heading and a sentence.
 * @param wordsFor the feature's own words for a refusal; undefined for the common ones
 */
export function errorPage(wordsFor: (error: ApiError) => ErrorWords | undefined): ErrorPage {
  return ({ error, language }) => {
    const { title, text, link }: Partial<ErrorWords> =
      wordsFor(error) ?? (error.code === 'UNAVAILABLE' ? { text: PAGE_TEXTS('away') } : {});
    const onwards = link && html`<p><a href="${link.href}">${link.text.in(language)}</a></p>`;
    const body = html`<p>${text?.in(language) ?? error.messageIn(language)}</p>
      ${onwards}`;
    return { language, title: (title ?? PAGE_TEXTS('failed-title')).in(language), body };
  };
}
