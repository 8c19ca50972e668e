import { defineTexts } from '@kontoport/errors';

/** What is said of a peer that does not answer, or not in our terms. */
export const GRPC_TEXTS = defineTexts({
  'peer-away': {
    en: 'A part of the service does not respond; repeat the request later.',
    da: 'En del af tjenesten svarer ikke; gentag forespørgslen senere.',
    sv: 'En del av tjänsten svarar inte; upprepa begäran senare.',
    nb: 'En del av tjenesten svarer ikke; gjenta forespørselen senere.',
  },
  'bank-away': {
    en: 'The bank does not respond; repeat the request later.',
    da: 'Banken svarer ikke; gentag forespørgslen senere.',
    sv: 'Banken svarar inte; upprepa begäran senare.',
    nb: 'Banken svarer ikke; gjenta forespørselen senere.',
  },
  'upload-broken': {
    en: 'The stream broke off, or took too long; nothing of it was kept.',
    da: 'Strømmen blev afbrudt eller tog for lang tid; intet af den blev gemt.',
    sv: 'Strömmen bröts eller tog för lång tid; inget av den sparades.',
    nb: 'Strømmen ble brutt eller tok for lang tid; ingenting av den ble lagret.',
  },
});
