import { defineTexts } from '@kontoport/errors';

/** What is said of the bank's feed. */
export const LEDGER_TEXTS = defineTexts({
  'not-uuid': {
    en: 'must be a UUID',
    da: 'skal være et UUID',
    sv: 'ska vara ett UUID',
    nb: 'må være en UUID',
  },
  'id-or-reference': {
    en: 'must stand alone: either a transaction id or a reference',
    da: 'skal stå alene: enten et transaktions-id eller en reference',
    sv: 'ska stå ensamt: antingen ett transaktions-id eller en referens',
    nb: 'må stå alene: enten en transaksjons-ID eller en referanse',
  },
  'not-reference': {
    en: 'must have 1 to 64 printable ASCII characters and no blank at its ends',
    da: 'skal have 1 til 64 synlige ASCII-tegn og intet mellemrum i enderne',
    sv: 'ska ha 1 till 64 synliga ASCII-tecken och inget blanksteg i ändarna',
    nb: 'må ha 1 til 64 synlige ASCII-tegn og ikke mellomrom i endene',
  },
  'not-rate': {
    en: 'must be a decimal more than zero with at most 15 digits, such as "7.4612"',
    da: 'skal være et decimaltal større end nul med højst 15 cifre, såsom "7.4612"',
    sv: 'ska vara ett decimaltal större än noll med högst 15 siffror, såsom "7.4612"',
    nb: 'må være et desimaltall større enn null med høyst 15 sifre, som "7.4612"',
  },
  'rate-without-exchange': {
    en: 'stands only beside a transaction amount in another currency',
    da: 'står kun sammen med et transaktionsbeløb i en anden valuta',
    sv: 'står bara tillsammans med ett transaktionsbelopp i en annan valuta',
    nb: 'står bare sammen med et transaksjonsbeløp i en annen valuta',
  },
  'other-sign': {
    en: 'must have the sign of the amount',
    da: 'skal have samme fortegn som beløbet',
    sv: 'ska ha samma tecken som beloppet',
    nb: 'må ha samme fortegn som beløpet',
  },
  'never-reserved': {
    en: 'must not stand where the payment never held money',
    da: 'må ikke stå, hvor betalingen aldrig har reserveret penge',
    sv: 'får inte stå där betalningen aldrig har reserverat pengar',
    nb: 'kan ikke stå der betalingen aldri har reservert penger',
  },
  'card-only': {
    en: 'is of a transaction of type card only',
    da: 'hører kun til en transaktion af typen card',
    sv: 'hör bara till en transaktion av typen card',
    nb: 'hører bare til en transaksjon av typen card',
  },
  'not-mcc': {
    en: 'must be a merchant category code from 1 to 9999',
    da: 'skal være en branchekode fra 1 til 9999',
    sv: 'ska vara en branschkod från 1 till 9999',
    nb: 'må være en bransjekode fra 1 til 9999',
  },
  'not-country': {
    en: 'must be a country of ISO 3166-1 in two capital letters',
    da: 'skal være et land fra ISO 3166-1 med to store bogstaver',
    sv: 'ska vara ett land ur ISO 3166-1 med två versaler',
    nb: 'må være et land fra ISO 3166-1 med to store bokstaver',
  },
  'not-account-type': {
    en: 'must have 1 to 32 capital letters and underscores, such as CHECKING',
    da: 'skal have 1 til 32 store bogstaver og understregninger, såsom CHECKING',
    sv: 'ska ha 1 till 32 versaler och understreck, såsom CHECKING',
    nb: 'må ha 1 til 32 store bokstaver og understreker, som CHECKING',
  },
  'not-account-number': {
    en: 'must have 4 to 34 digits',
    da: 'skal have 4 til 34 cifre',
    sv: 'ska ha 4 till 34 siffror',
    nb: 'må ha 4 til 34 sifre',
  },
  'not-iban': {
    en: 'must be an IBAN with valid check digits, without blanks',
    da: 'skal være en IBAN med gyldige kontrolcifre og uden mellemrum',
    sv: 'ska vara ett IBAN med giltiga kontrollsiffror och utan blanksteg',
    nb: 'må være et IBAN med gyldige kontrollsifre og uten mellomrom',
  },
  'not-negative': {
    en: 'must not be negative',
    da: 'må ikke være negativ',
    sv: 'får inte vara negativt',
    nb: 'kan ikke være negativ',
  },
  'account-kept': {
    en: 'The account exists already; its {field} can no longer change.',
    da: 'Kontoen findes allerede; dens {field} kan ikke længere ændres.',
    sv: 'Kontot finns redan; dess {field} kan inte längre ändras.',
    nb: 'Kontoen finnes allerede; dens {field} kan ikke lenger endres.',
  },
  'out-of-range': {
    en: 'The amounts of the account would exceed what it can hold.',
    da: 'Kontoens beløb ville overstige, hvad den kan rumme.',
    sv: 'Kontots belopp skulle överstiga vad det rymmer.',
    nb: 'Kontoens beløp ville overstige hva den kan romme.',
  },
});
