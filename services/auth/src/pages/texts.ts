import { defineTexts } from '@kontoport/errors';

/** What all pages of the bank's users have in common. */
export const PAGE_TEXTS = defineTexts({
  'failed-title': {
    en: 'This page cannot be shown',
    da: 'Siden kan ikke vises',
    sv: 'Sidan kan inte visas',
    nb: 'Siden kan ikke vises',
  },
  away: {
    en: 'Nothing has been lost. Please wait a moment and load this page again.',
    da: 'Intet er gået tabt. Vent et øjeblik, og indlæs siden igen.',
    sv: 'Ingenting har gått förlorat. Vänta en stund och ladda om sidan.',
    nb: 'Ingenting har gått tapt. Vent litt og last inn siden på nytt.',
  },
  'bank-unclear': {
    en: 'The bank answers in a way that is not understood.',
    da: 'Banken svarer på en måde, der ikke forstås.',
    sv: 'Banken svarar på ett sätt som inte förstås.',
    nb: 'Banken svarer på en måte som ikke forstås.',
  },
  'form-not-ours': {
    en: 'This form was not sent from our page, or the page has become too old. Go back, load the page again and repeat it.',
    da: 'Formularen blev ikke sendt fra vores side, eller siden er blevet for gammel. Gå tilbage, indlæs siden igen, og gentag.',
    sv: 'Formuläret skickades inte från vår sida, eller så har sidan blivit för gammal. Gå tillbaka, ladda om sidan och upprepa.',
    nb: 'Skjemaet ble ikke sendt fra siden vår, eller siden er blitt for gammel. Gå tilbake, last inn siden på nytt og gjenta.',
  },
});
