import type { Language } from '@kontoport/errors';

/** How each language is written where it is spoken. */
export const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  da: 'da-DK',
  sv: 'sv-SE',
  nb: 'nb-NO',
};

/** A day as people write it; where the bank is, and not where its servers are. */
export function writtenDay(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'long',
    timeZone: 'Europe/Copenhagen',
  }).format(date);
}

/** A moment of today as people write it; where the bank is. */
export function writtenTime(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    timeStyle: 'short',
    timeZone: 'Europe/Copenhagen',
  }).format(date);
}

/** A day of the calendar, `YYYY-MM-DD`, as people write it. */
export function writtenDate(day: string, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}
