import { defineTexts } from '@kontoport/errors';

/** What the server itself says, before or after a route's own words. */
export const HTTP_TEXTS = defineTexts({
  'resource-unknown': {
    en: 'There is no such resource for this client.',
    da: 'Denne klient har ingen sådan ressource.',
    sv: 'Den här klienten har ingen sådan resurs.',
    nb: 'Denne klienten har ingen slik ressurs.',
  },
  'no-route': {
    en: 'No route has this path.',
    da: 'Ingen rute har denne sti.',
    sv: 'Ingen rutt har denna sökväg.',
    nb: 'Ingen rute har denne stien.',
  },
  'method-not-allowed': {
    en: 'The path knows {methods} only.',
    da: 'Stien kender kun {methods}.',
    sv: 'Sökvägen känner bara till {methods}.',
    nb: 'Stien kjenner bare {methods}.',
  },
  'path-invalid': {
    en: 'The path is not valid.',
    da: 'Stien er ikke gyldig.',
    sv: 'Sökvägen är inte giltig.',
    nb: 'Stien er ikke gyldig.',
  },
  'request-broken': {
    en: 'The request is not valid HTTP/1.1, its header is larger than {kilobytes} KB, or it took too long.',
    da: 'Forespørgslen er ikke gyldig HTTP/1.1, dens headere fylder mere end {kilobytes} KB, eller den tog for lang tid.',
    sv: 'Begäran är inte giltig HTTP/1.1, dess headerfält är större än {kilobytes} kB, eller så tog den för lång tid.',
    nb: 'Forespørselen er ikke gyldig HTTP/1.1, headerne er større enn {kilobytes} kB, eller den tok for lang tid.',
  },
  'request-id-invalid': {
    en: 'X-Request-Id must be 1 to 128 letters, digits, dots, dashes or underscores.',
    da: 'X-Request-Id skal bestå af 1 til 128 bogstaver, cifre, punktummer, bindestreger eller understregninger.',
    sv: 'X-Request-Id ska bestå av 1 till 128 bokstäver, siffror, punkter, bindestreck eller understreck.',
    nb: 'X-Request-Id må bestå av 1 til 128 bokstaver, sifre, punktum, bindestreker eller understreker.',
  },
  'header-doubled': {
    en: 'The header {header} stands more than once.',
    da: 'Headeren {header} står mere end én gang.',
    sv: 'Headern {header} förekommer mer än en gång.',
    nb: 'Headeren {header} står mer enn én gang.',
  },
  'query-twice': {
    en: 'A query parameter stands more than once.',
    da: 'En forespørgselsparameter står mere end én gang.',
    sv: 'En frågeparameter förekommer mer än en gång.',
    nb: 'En spørreparameter står mer enn én gang.',
  },
  'form-field-twice': {
    en: 'A form field stands more than once.',
    da: 'Et formularfelt står mere end én gang.',
    sv: 'Ett formulärfält förekommer mer än en gång.',
    nb: 'Et skjemafelt står mer enn én gang.',
  },
  'json-too-deep': {
    en: 'The JSON is nested deeper than {levels} levels.',
    da: 'JSON-indholdet er indlejret dybere end {levels} niveauer.',
    sv: 'JSON-innehållet är nästlat djupare än {levels} nivåer.',
    nb: 'JSON-innholdet er nøstet dypere enn {levels} nivåer.',
  },
  'json-invalid': {
    en: 'The body is not valid JSON.',
    da: 'Indholdet er ikke gyldig JSON.',
    sv: 'Innehållet är inte giltig JSON.',
    nb: 'Innholdet er ikke gyldig JSON.',
  },
  'media-type': {
    en: 'The Content-Type must be {expected}.',
    da: 'Content-Type skal være {expected}.',
    sv: 'Content-Type ska vara {expected}.',
    nb: 'Content-Type må være {expected}.',
  },
  compressed: {
    en: 'A compressed body is not accepted.',
    da: 'Komprimeret indhold modtages ikke.',
    sv: 'Komprimerat innehåll tas inte emot.',
    nb: 'Komprimert innhold godtas ikke.',
  },
  'body-cut': {
    en: 'The body ended before it was complete.',
    da: 'Indholdet sluttede, før det var fuldstændigt.',
    sv: 'Innehållet tog slut innan det var fullständigt.',
    nb: 'Innholdet sluttet før det var fullstendig.',
  },
  'body-too-large': {
    en: 'The body is larger than {kilobytes} KB.',
    da: 'Indholdet fylder mere end {kilobytes} KB.',
    sv: 'Innehållet är större än {kilobytes} kB.',
    nb: 'Innholdet er større enn {kilobytes} kB.',
  },
  'not-utf8': {
    en: 'The body is not valid UTF-8.',
    da: 'Indholdet er ikke gyldig UTF-8.',
    sv: 'Innehållet är inte giltig UTF-8.',
    nb: 'Innholdet er ikke gyldig UTF-8.',
  },
  'body-fault-at': {
    en: 'The body is not as specified: `{path}` {fault}.',
    da: 'Indholdet er ikke som specificeret: `{path}` {fault}.',
    sv: 'Innehållet är inte som specificerat: `{path}` {fault}.',
    nb: 'Innholdet er ikke som spesifisert: `{path}` {fault}.',
  },
  'body-fault': {
    en: 'The body is not as specified: it {fault}.',
    da: 'Indholdet er ikke som specificeret: det {fault}.',
    sv: 'Innehållet är inte som specificerat: det {fault}.',
    nb: 'Innholdet er ikke som spesifisert: det {fault}.',
  },
  'query-fault-at': {
    en: 'The request is not as specified: `{path}` {fault}.',
    da: 'Forespørgslen er ikke som specificeret: `{path}` {fault}.',
    sv: 'Begäran är inte som specificerat: `{path}` {fault}.',
    nb: 'Forespørselen er ikke som spesifisert: `{path}` {fault}.',
  },
  'page-title': {
    en: 'This page cannot be shown',
    da: 'Siden kan ikke vises',
    sv: 'Sidan kan inte visas',
    nb: 'Siden kan ikke vises',
  },
  'page-request': {
    en: 'Reference for questions: {requestId}',
    da: 'Reference ved spørgsmål: {requestId}',
    sv: 'Referens vid frågor: {requestId}',
    nb: 'Referanse ved spørsmål: {requestId}',
  },
});
