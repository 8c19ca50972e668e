import type { IncomingMessage } from 'node:http';
import { type Language, LANGUAGES } from '@kontoport/errors';
import { preferredLanguage, prefersHtml } from './preference.ts';

/** Languages by the tags of callers: Norwegian without more is bokmål. */
const BY_TAG: ReadonlyMap<string, Language> = new Map([
  ...LANGUAGES.map((language): [string, Language] => [language, language]),
  ['no', 'nb'],
]);

/**
 * The language of `X-Language`. Without that header, a browser that prefers a page gets the best of its `Accept-Language` (§4).
 * Regions are ignored, and an unknown language is English.
 */
export function languageOf({ headers }: Pick<IncomingMessage, 'headers'>): Language {
  const { 'x-language': given, 'accept-language': accepted, accept } = headers;
  if (given !== undefined) return languageOfTag(String(given)) ?? 'en';
  if (accepted === undefined || !prefersHtml(accept)) return 'en';
  return languageOfTag(preferredLanguage(accepted, [...BY_TAG.keys()]) ?? '') ?? 'en';
}

function languageOfTag(text: string): Language | undefined {
  const [tag = ''] = text
    .trim()
    .toLowerCase()
    .split(/[-_,;]/, 1);
  return BY_TAG.get(tag);
}
