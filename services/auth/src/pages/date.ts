import type { Language } from '@kontoport/errors';

/** The locale of each language. */
export const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  da: 'da-DK',
  sv: 'sv-SE',
  nb: 'nb-NO',
};

/** Formats the day of an instant, in the bank's time zone. */
export function formatDay(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'long',
    timeZone: 'Europe/Copenhagen',
  }).format(date);
}

/** Formats the time of an instant, in the bank's time zone. */
export function formatTime(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    timeStyle: 'short',
    timeZone: 'Europe/Copenhagen',
  }).format(date);
}

/** Formats a calendar day, `YYYY-MM-DD`. */
export function formatDate(day: string, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}
