import { defineTexts } from './text.ts';

/** Messages of unexpected failures. */
export const ERROR_TEXTS = defineTexts({
  failed: {
    en: 'The service failed to answer; repeat the request later.',
    da: 'Tjenesten kunne ikke svare; gentag forespørgslen senere.',
    sv: 'Tjänsten kunde inte svara; upprepa begäran senare.',
    nb: 'Tjenesten klarte ikke å svare; gjenta forespørselen senere.',
  },
  away: {
    en: 'Something that the answer depends on does not respond at the moment; repeat the request later.',
    da: 'Noget, som svaret afhænger af, svarer ikke i øjeblikket; gentag forespørgslen senere.',
    sv: 'Något som svaret är beroende av svarar inte just nu; upprepa begäran senare.',
    nb: 'Noe som svaret avhenger av, svarer ikke akkurat nå; gjenta forespørselen senere.',
  },
});
