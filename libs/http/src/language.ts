import { type Language, LANGUAGES } from '@kontoport/errors';
import { prefersHtml, readRange } from './accept.ts';
import { headerList, headerOf, type RawHeaders } from './header-values.ts';

/** What callers say, and what they mean by it: Norwegian without more is bokmål. */
const MEANT: ReadonlyMap<string, Language> = new Map([
  ...LANGUAGES.map((language): [string, Language] => [language, language]),
  ['no', 'nb'],
]);

/**
 * The language of `X-Language`, or, where that is absent, the one that a browser which asks for a page likes best (§4):
 * regions are ignored, and what we do not speak is English.
 */
export function languageOf(request: RawHeaders): Language {
  const given = headerOf(request, 'x-language');
  if (given !== undefined) return meant(given) ?? 'en';
  const likesPages = prefersHtml(headerList(request, 'accept'));
  return (likesPages && favourite(headerList(request, 'accept-language') ?? '')) || 'en';
}

/** The first of several language tags that we speak, such as those of `ui_locales`. */
export function firstSpoken(tags: readonly string[]): Language | undefined {
  return tags.map(meant).find((language) => language !== undefined);
}

/** Of Accept-Language (RFC 9110 §12.5.4). */
function favourite(accepted: string): Language | undefined {
  const ranges = accepted.split(',').map(readRange);
  const wanted = ranges.filter(([, weight]) => weight > 0).toSorted(([, a], [, b]) => b - a);
  return firstSpoken(wanted.map(([range]) => range));
}

function meant(text: string): Language | undefined {
  const [tag = ''] = text
    .trim()
    .toLowerCase()
    .split(/[-_,;]/, 1);
  return MEANT.get(tag);
}
