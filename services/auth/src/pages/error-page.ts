import type { ApiError, Text } from '@kontoport/errors';
import type { ErrorPage } from '@kontoport/http';
import { html } from './html.ts';
import { renderPage } from './layout.ts';
import { PAGE_TEXTS } from './texts.ts';

/** A heading, a sentence, and where it goes on. */
export interface Words {
  title: Text;
  text: Text;
  link?: { href: string; text: Text };
}

/**
 * The page of a refusal, for a person: one heading, one sentence.
 * @param wordsFor what the pages of a feature say of a refusal; undefined for one that is none of its own
 */
export function errorPage(wordsFor: (error: ApiError) => Words | undefined): ErrorPage {
  return ({ error, language }) => {
    const { title, text, link }: Partial<Words> =
      wordsFor(error) ?? (error.code === 'UNAVAILABLE' ? { text: PAGE_TEXTS('away') } : {});
    const onwards = link && html`<p><a href="${link.href}">${link.text.in(language)}</a></p>`;
    const body = html`<p>${text?.in(language) ?? error.messageIn(language)}</p>
      ${onwards}`;
    return renderPage({ language, title: (title ?? PAGE_TEXTS('failed-title')).in(language), body });
  };
}
