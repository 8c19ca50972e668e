import { defineTexts } from '@kontoport/errors';

/** What registration says to a TPP, and to the services that watch its clients. */
export const TEXTS = defineTexts({
  'client-unknown': {
    en: 'There is no such client for this certificate.',
    da: 'Der er ingen sådan klient for dette certifikat.',
    sv: 'Det finns ingen sådan klient för detta certifikat.',
    nb: 'Det finnes ingen slik klient for dette sertifikatet.',
  },
  'role-not-held': {
    en: 'The certificate does not hold the role {roles}.',
    da: 'Certifikatet har ikke rollen {roles}.',
    sv: 'Certifikatet har inte rollen {roles}.',
    nb: 'Sertifikatet har ikke rollen {roles}.',
  },
  'request-id-used': {
    en: 'This X-Request-ID was used for another registration; repeat that body or choose a new id.',
    da: 'Dette X-Request-ID er brugt til en anden registrering; gentag dens indhold, eller vælg et nyt id.',
    sv: 'Detta X-Request-ID har använts för en annan registrering; upprepa dess innehåll eller välj ett nytt id.',
    nb: 'Denne X-Request-ID-en er brukt til en annen registrering; gjenta innholdet fra den, eller velg en ny ID.',
  },
  'replica-closing': {
    en: 'This replica is closing.',
    da: 'Denne replika er ved at lukke.',
    sv: 'Den här repliken håller på att stängas.',
    nb: 'Denne replikaen er i ferd med å stenge.',
  },
  'watcher-unnamed': {
    en: 'A watcher needs a UUID and the name of its service.',
    da: 'En lytter skal have et UUID og navnet på sin tjeneste.',
    sv: 'En lyssnare måste ha ett UUID och namnet på sin tjänst.',
    nb: 'En lytter må ha en UUID og navnet på tjenesten sin.',
  },
  'watcher-silent': {
    en: 'The watcher is silent; watch again.',
    da: 'Lytteren er tavs; lyt igen.',
    sv: 'Lyssnaren är tyst; lyssna igen.',
    nb: 'Lytteren er taus; lytt igjen.',
  },
  'watcher-slow': {
    en: 'The watcher reads too slowly; watch again.',
    da: 'Lytteren læser for langsomt; lyt igen.',
    sv: 'Lyssnaren läser för långsamt; lyssna igen.',
    nb: 'Lytteren leser for sakte; lytt igjen.',
  },
  'too-long': {
    en: 'is longer than {most} characters',
    da: 'er længere end {most} tegn',
    sv: 'är längre än {most} tecken',
    nb: 'er lengre enn {most} tegn',
  },
  'control-characters': {
    en: 'contains control characters',
    da: 'indeholder styretegn',
    sv: 'innehåller styrtecken',
    nb: 'inneholder kontrolltegn',
  },
  empty: {
    en: 'is empty',
    da: 'er tom',
    sv: 'är tomt',
    nb: 'er tom',
  },
  'role-unknown': {
    en: 'is neither PSP_AI nor PSP_PI',
    da: 'er hverken PSP_AI eller PSP_PI',
    sv: 'är varken PSP_AI eller PSP_PI',
    nb: 'er verken PSP_AI eller PSP_PI',
  },
  'roles-none': {
    en: 'needs at least one role',
    da: 'skal have mindst én rolle',
    sv: 'måste ha minst en roll',
    nb: 'må ha minst én rolle',
  },
  'roles-twice': {
    en: 'contains a role twice',
    da: 'indeholder en rolle to gange',
    sv: 'innehåller en roll två gånger',
    nb: 'inneholder en rolle to ganger',
  },
  'uris-none': {
    en: 'needs at least one URI',
    da: 'skal have mindst én URI',
    sv: 'måste ha minst en URI',
    nb: 'må ha minst én URI',
  },
  'uris-too-many': {
    en: 'holds more than {most} URIs',
    da: 'indeholder mere end {most} URI’er',
    sv: 'innehåller fler än {most} URI:er',
    nb: 'inneholder mer enn {most} URI-er',
  },
  'uris-twice': {
    en: 'contains a URI twice',
    da: 'indeholder en URI to gange',
    sv: 'innehåller en URI två gånger',
    nb: 'inneholder en URI to ganger',
  },
  'uri-not-absolute': {
    en: 'is not an absolute https URI',
    da: 'er ikke en absolut https-URI',
    sv: 'är inte en absolut https-URI',
    nb: 'er ikke en absolutt https-URI',
  },
  'uri-user': {
    en: 'must not carry user information',
    da: 'må ikke indeholde brugeroplysninger',
    sv: 'får inte innehålla användaruppgifter',
    nb: 'kan ikke inneholde brukeropplysninger',
  },
  'uri-fragment': {
    en: 'must not carry a fragment',
    da: 'må ikke indeholde et fragment',
    sv: 'får inte innehålla ett fragment',
    nb: 'kan ikke inneholde et fragment',
  },
  'uri-host': {
    en: 'does not name a plain host',
    da: 'angiver ikke et almindeligt værtsnavn',
    sv: 'anger inte ett vanligt värdnamn',
    nb: 'angir ikke et vanlig vertsnavn',
  },
  'uri-http': {
    en: 'must use https; http is for localhost during development only',
    da: 'skal bruge https; http er kun til localhost under udvikling',
    sv: 'måste använda https; http är bara för localhost under utveckling',
    nb: 'må bruke https; http er bare for localhost under utvikling',
  },
  'uri-https': {
    en: 'must use https',
    da: 'skal bruge https',
    sv: 'måste använda https',
    nb: 'må bruke https',
  },
});
