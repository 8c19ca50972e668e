import { defineTexts } from '@kontoport/errors';

/** What the bank says to Kontoport; its pages speak English alone, as an example may. */
export const TEXTS = defineTexts({
  unknown: { en: 'unknown', da: 'ukendt', sv: 'okänt', nb: 'ukjent' },
  'other-content': {
    en: 'the id is taken by something else',
    da: 'id’et er optaget af noget andet',
    sv: 'id:t är upptaget av något annat',
    nb: 'id-en er opptatt av noe annet',
  },
  malformed: {
    en: 'the call is not what the interface says',
    da: 'kaldet er ikke, som grænsefladen siger',
    sv: 'anropet är inte som gränssnittet säger',
    nb: 'kallet er ikke slik grensesnittet sier',
  },
});
