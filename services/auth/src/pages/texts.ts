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
});
