import { defineTexts } from '@kontoport/errors';

/** Texts that all pages of the bank's users share. */
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
    en: 'The bank sent an invalid answer.',
    da: 'Banken sendte et ugyldigt svar.',
    sv: 'Banken skickade ett ogiltigt svar.',
    nb: 'Banken sendte et ugyldig svar.',
  },
  'form-not-ours': {
    en: 'This form was not sent from our page, or the page is too old. Go back, reload the page and send the form again.',
    da: 'Formularen blev ikke sendt fra vores side, eller siden er for gammel. Gå tilbage, indlæs siden igen, og send formularen igen.',
    sv: 'Formuläret skickades inte från vår sida, eller så är sidan för gammal. Gå tillbaka, ladda om sidan och skicka formuläret igen.',
    nb: 'Skjemaet ble ikke sendt fra siden vår, eller siden er for gammel. Gå tilbake, last inn siden på nytt og send skjemaet igjen.',
  },
  organization: {
    en: 'The certificate of {client} names the organization {identifier}.',
    da: 'Certifikatet for {client} nævner organisationen {identifier}.',
    sv: 'Certifikatet för {client} anger organisationen {identifier}.',
    nb: 'Sertifikatet til {client} oppgir organisasjonen {identifier}.',
  },
  'organization-authorized': {
    en: 'The certificate of {client} names the authority {authority} and the organization {identifier}.',
    da: 'Certifikatet for {client} nævner myndigheden {authority} og organisationen {identifier}.',
    sv: 'Certifikatet för {client} anger myndigheten {authority} och organisationen {identifier}.',
    nb: 'Sertifikatet til {client} oppgir myndigheten {authority} og organisasjonen {identifier}.',
  },
  'see-consents': {
    en: 'See your consents',
    da: 'Se dine samtykker',
    sv: 'Se dina samtycken',
    nb: 'Se samtykkene dine',
  },
  continue: { en: 'Continue', da: 'Fortsæt', sv: 'Fortsätt', nb: 'Fortsett' },
});
