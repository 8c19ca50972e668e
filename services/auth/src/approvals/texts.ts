import { defineTexts } from '@kontoport/errors';

/** What the pages behind an authUrl say to the bank's user. */
export const APPROVAL_TEXTS = defineTexts({
  'link-invalid-title': {
    en: 'This approval link is not valid',
    da: 'Dette godkendelseslink er ikke gyldigt',
    sv: 'Den här godkännandelänken är inte giltig',
    nb: 'Denne godkjenningslenken er ikke gyldig',
  },
  'link-invalid': {
    en: 'It may be mistyped or no longer valid. Go back to the app or website that sent you here and start again.',
    da: 'Det kan være skrevet forkert eller være udløbet. Gå tilbage til den app eller det websted, der sendte dig hertil, og start forfra.',
    sv: 'Den kan vara felskriven eller ha gått ut. Gå tillbaka till appen eller webbplatsen som skickade dig hit och börja om.',
    nb: 'Den kan være skrevet feil eller ha utløpt. Gå tilbake til appen eller nettstedet som sendte deg hit, og start på nytt.',
  },
});
