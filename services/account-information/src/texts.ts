import { defineTexts } from '@kontoport/errors';

/** What is said of accounts, their transactions and the postings on them. */
export const TEXTS = defineTexts({
  'account-unknown': {
    en: 'There is no such account for this client.',
    da: 'Denne klient har ingen sådan konto.',
    sv: 'Den här klienten har inget sådant konto.',
    nb: 'Denne klienten har ingen slik konto.',
  },
  'cursor-invalid': {
    en: 'The cursor was altered, or account, from, to or limit differ from the request that gave it; start without cursor.',
    da: 'Cursoren er ændret, eller konto, `from`, `to` eller `limit` afviger fra den forespørgsel, der gav den; begynd uden cursor.',
    sv: 'Markören har ändrats, eller så avviker konto, `from`, `to` eller `limit` från den begäran som gav den; börja utan markör.',
    nb: 'Markøren er endret, eller konto, `from`, `to` eller `limit` avviker fra forespørselen som ga den; begynn uten markør.',
  },
  'limit-range': {
    en: 'must be a whole number from {least} to {most}',
    da: 'skal være et heltal fra {least} til {most}',
    sv: 'ska vara ett heltal från {least} till {most}',
    nb: 'må være et heltall fra {least} til {most}',
  },
  'instant-invalid': {
    en: 'must be an ISO 8601 date or date-time such as 2026-01-31 or 2026-01-31T08:00:00Z (in a URL the plus sign of a zone is %2B)',
    da: 'skal være en ISO 8601-dato eller et tidspunkt som 2026-01-31 eller 2026-01-31T08:00:00Z (i en URL er en tidszones plustegn %2B)',
    sv: 'ska vara ett ISO 8601-datum eller en tidpunkt som 2026-01-31 eller 2026-01-31T08:00:00Z (i en URL är plustecknet i en tidszon %2B)',
    nb: 'må være en ISO 8601-dato eller et tidspunkt som 2026-01-31 eller 2026-01-31T08:00:00Z (i en URL er plusstegnet i en tidssone %2B)',
  },
  'from-after-to': {
    en: 'must not be later than `to`',
    da: 'må ikke være senere end `to`',
    sv: 'får inte vara senare än `to`',
    nb: 'kan ikke være senere enn `to`',
  },
  'no-account': {
    en: 'There is no such account.',
    da: 'Der er ingen sådan konto.',
    sv: 'Det finns inget sådant konto.',
    nb: 'Det finnes ingen slik konto.',
  },
  'posting-differs': {
    en: 'The transaction id was used for another transaction.',
    da: 'Transaktionens id er brugt til en anden transaktion.',
    sv: 'Transaktionens id har använts för en annan transaktion.',
    nb: 'Transaksjonens ID er brukt til en annen transaksjon.',
  },
  'other-currency': {
    en: 'The amount is not in the currency of the account.',
    da: 'Beløbet er ikke i kontoens valuta.',
    sv: 'Beloppet är inte i kontots valuta.',
    nb: 'Beløpet er ikke i kontoens valuta.',
  },
  'must-be': {
    en: 'must be {value}',
    da: 'skal være {value}',
    sv: 'ska vara {value}',
    nb: 'må være {value}',
  },
  'no-funds': {
    en: 'The available amount does not cover the debit.',
    da: 'Det disponible beløb dækker ikke debiteringen.',
    sv: 'Det disponibla beloppet täcker inte debiteringen.',
    nb: 'Det disponible beløpet dekker ikke debiteringen.',
  },
  'client-id-invalid': {
    en: 'client_id must be a UUID.',
    da: 'client_id skal være et UUID.',
    sv: 'client_id ska vara ett UUID.',
    nb: 'client_id må være en UUID.',
  },
  'too-long': {
    en: 'must have at most {most} characters',
    da: 'må højst have {most} tegn',
    sv: 'får ha högst {most} tecken',
    nb: 'kan ha høyst {most} tegn',
  },
  'not-storable': {
    en: 'must not hold NUL or lone surrogates',
    da: 'må ikke indeholde NUL eller enlige surrogattegn',
    sv: 'får inte innehålla NUL eller ensamma surrogattecken',
    nb: 'kan ikke inneholde NUL eller enslige surrogattegn',
  },
  'one-of': {
    en: 'must be one of {values}',
    da: 'skal være en af {values}',
    sv: 'ska vara något av {values}',
    nb: 'må være en av {values}',
  },
  'not-bic': {
    en: 'must be a BIC',
    da: 'skal være en BIC',
    sv: 'ska vara en BIC',
    nb: 'må være en BIC',
  },
  'with-scheme': {
    en: 'must stand together with the scheme',
    da: 'skal stå sammen med kontotypen',
    sv: 'ska stå tillsammans med kontotypen',
    nb: 'må stå sammen med kontotypen',
  },
  zero: {
    en: 'must not be zero',
    da: 'må ikke være nul',
    sv: 'får inte vara noll',
    nb: 'kan ikke være null',
  },
  'not-time': {
    en: 'must be a time',
    da: 'skal være et tidspunkt',
    sv: 'ska vara en tidpunkt',
    nb: 'må være et tidspunkt',
  },
  'too-early': {
    en: 'must not be before 1970',
    da: 'må ikke ligge før 1970',
    sv: 'får inte ligga före 1970',
    nb: 'kan ikke ligge før 1970',
  },
  'too-late': {
    en: 'must not be after 9999',
    da: 'må ikke ligge efter 9999',
    sv: 'får inte ligga efter 9999',
    nb: 'kan ikke ligge etter 9999',
  },
  empty: {
    en: 'must not be empty',
    da: 'må ikke være tom',
    sv: 'får inte vara tomt',
    nb: 'kan ikke være tom',
  },
  'not-bban': {
    en: 'must have 11 to 14 digits or capital letters',
    da: 'skal have 11 til 14 cifre eller store bogstaver',
    sv: 'ska ha 11 till 14 siffror eller versaler',
    nb: 'må ha 11 til 14 sifre eller store bokstaver',
  },
  'too-many-entries': {
    en: 'must have at most {most} entries',
    da: 'må højst have {most} poster',
    sv: 'får ha högst {most} poster',
    nb: 'kan ha høyst {most} oppføringer',
  },
  'transfer-only': {
    en: 'is of a domesticCreditTransfer only',
    da: 'hører kun til en domesticCreditTransfer',
    sv: 'hör bara till en domesticCreditTransfer',
    nb: 'hører bare til en domesticCreditTransfer',
  },
});
