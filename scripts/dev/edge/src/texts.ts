import { defineTexts } from '@kontoport/errors';

/** What the edge says where no service could. */
export const EDGE_TEXTS = defineTexts({
  'chain-too-large': {
    en: 'The presented certificate chain is too large.',
    da: 'Den fremviste certifikatkæde er for stor.',
    sv: 'Den uppvisade certifikatkedjan är för stor.',
    nb: 'Den fremlagte sertifikatkjeden er for stor.',
  },
  unreachable: {
    en: 'The service is not reachable at the moment.',
    da: 'Tjenesten kan ikke nås i øjeblikket.',
    sv: 'Tjänsten kan inte nås just nu.',
    nb: 'Tjenesten kan ikke nås akkurat nå.',
  },
  broken: {
    en: 'The service ended the connection without an answer.',
    da: 'Tjenesten afbrød forbindelsen uden at svare.',
    sv: 'Tjänsten avslutade anslutningen utan att svara.',
    nb: 'Tjenesten avsluttet forbindelsen uten å svare.',
  },
  late: {
    en: 'The service did not answer in time.',
    da: 'Tjenesten svarede ikke i tide.',
    sv: 'Tjänsten svarade inte i tid.',
    nb: 'Tjenesten svarte ikke i tide.',
  },
  malformed: {
    en: 'The request is not valid HTTP.',
    da: 'Forespørgslen er ikke gyldig HTTP.',
    sv: 'Begäran är inte giltig HTTP.',
    nb: 'Forespørselen er ikke gyldig HTTP.',
  },
  'headers-too-large': {
    en: 'The headers are too large.',
    da: 'Headerne er for store.',
    sv: 'Headerfälten är för stora.',
    nb: 'Headerne er for store.',
  },
  plain: {
    en: 'This port speaks TLS: call it with https://.',
    da: 'Denne port taler TLS: kald den med https://.',
    sv: 'Den här porten talar TLS: anropa den med https://.',
    nb: 'Denne porten snakker TLS: kall den med https://.',
  },
  slow: {
    en: 'The request did not arrive in time.',
    da: 'Forespørgslen nåede ikke frem i tide.',
    sv: 'Begäran kom inte fram i tid.',
    nb: 'Forespørselen kom ikke frem i tide.',
  },
});
