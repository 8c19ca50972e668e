import { defineTexts } from '@kontoport/errors';

/** What is said while nobody knows which clients live. */
export const DIRECTORY_TEXTS = defineTexts({
  silent: {
    en: 'Client access cannot be verified at the moment; repeat the request later.',
    da: 'Klientens adgang kan ikke kontrolleres i øjeblikket; gentag forespørgslen senere.',
    sv: 'Klientens åtkomst kan inte kontrolleras just nu; upprepa begäran senare.',
    nb: 'Klientens tilgang kan ikke kontrolleres akkurat nå; gjenta forespørselen senere.',
  },
});
