import type { IncomingHttpHeaders } from 'node:http';
import { type Language, LANGUAGES } from '@kontoport/errors';

/** What callers say, and what they mean by it: Norwegian without more is bokmål. */
const MEANT: ReadonlyMap<string, Language> = new Map([
  ...LANGUAGES.map((language): [string, Language] => [language, language]),
  ['no', 'nb'],
]);

/** The language of `X-Language` (§4): regions are ignored, and what we do not speak is English. */
export function languageOf(headers: IncomingHttpHeaders): Language {
  const given = headers['x-language'];
  if (typeof given !== 'string') return 'en';
  const [tag = ''] = given
    .trim()
    .toLowerCase()
    .split(/[-_,;]/, 1);
  return MEANT.get(tag) ?? 'en';
}
