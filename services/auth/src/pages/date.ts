import type { Language } from '@kontoport/errors';

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', da: 'da-DK', sv: 'sv-SE', nb: 'nb-NO' };

/** A day as people write it; where the bank is, and not where its servers are. */
export function writtenDay(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'long',
    timeZone: 'Europe/Copenhagen',
  }).format(date);
}
