import type { Template } from './text.ts';

/** The cause and cure of each errorCode. */
export const CODE_TEXTS = {
  FORMAT_ERROR: {
    cause: {
      en: 'A parameter, header or body is malformed, unknown or missing.',
      da: 'En parameter, en header eller forespørgslens indhold er fejlbehæftet, ukendt eller mangler.',
      sv: 'En parameter, en header eller begärans innehåll är felaktig, okänd eller saknas.',
      nb: 'En parameter, en header eller innholdet i forespørselen er feil, ukjent eller mangler.',
    },
    cure: {
      en: 'Correct the parts that `details` names.',
      da: 'Ret de dele, som `details` nævner.',
      sv: 'Rätta de delar som `details` anger.',
      nb: 'Rett de delene som `details` nevner.',
    },
  },
  CERTIFICATE_MISSING: {
    cause: {
      en: 'No client certificate was presented.',
      da: 'Der blev ikke fremlagt et klientcertifikat.',
      sv: 'Inget klientcertifikat visades upp.',
      nb: 'Det ble ikke lagt frem noe klientsertifikat.',
    },
    cure: {
      en: 'Present the eIDAS QWAC with its chain in the TLS handshake.',
      da: 'Fremlæg eIDAS-QWAC-certifikatet med dets kæde i TLS-handshaket.',
      sv: 'Visa upp eIDAS-QWAC-certifikatet med dess kedja i TLS-handskakningen.',
      nb: 'Legg frem eIDAS-QWAC-sertifikatet med kjeden i TLS-håndtrykket.',
    },
  },
  CERTIFICATE_INVALID: {
    cause: {
      en: 'The client certificate is not a valid eIDAS QWAC under a trusted issuer, or not valid yet.',
      da: 'Klientcertifikatet er ikke et gyldigt eIDAS-QWAC-certifikat fra en betroet udsteder, eller det er endnu ikke gyldigt.',
      sv: 'Klientcertifikatet är inte ett giltigt eIDAS-QWAC-certifikat från en betrodd utfärdare, eller det är inte giltigt ännu.',
      nb: 'Klientsertifikatet er ikke et gyldig eIDAS-QWAC-sertifikat fra en tiltrodd utsteder, eller det er ennå ikke gyldig.',
    },
    cure: {
      en: 'The message names the first check that failed, and what to do.',
      da: 'Meddelelsen nævner den første kontrol, der fejlede, og hvad der skal gøres.',
      sv: 'Meddelandet anger den första kontroll som misslyckades och vad som ska göras.',
      nb: 'Meldingen nevner den første kontrollen som feilet, og hva som må gjøres.',
    },
  },
  CERTIFICATE_EXPIRED: {
    cause: {
      en: 'A certificate of the chain has expired.',
      da: 'Et certifikat i kæden er udløbet.',
      sv: 'Ett certifikat i kedjan har gått ut.',
      nb: 'Et sertifikat i kjeden er utløpt.',
    },
    cure: {
      en: 'Present a certificate within its validity.',
      da: 'Fremlæg et certifikat inden for dets gyldighedsperiode.',
      sv: 'Visa upp ett certifikat inom dess giltighetstid.',
      nb: 'Legg frem et sertifikat innenfor gyldighetsperioden.',
    },
  },
  CERTIFICATE_REVOKED: {
    cause: {
      en: 'A certificate of the chain is revoked.',
      da: 'Et certifikat i kæden er tilbagekaldt.',
      sv: 'Ett certifikat i kedjan är spärrat.',
      nb: 'Et sertifikat i kjeden er tilbakekalt.',
    },
    cure: {
      en: 'Obtain a new certificate.',
      da: 'Anskaf et nyt certifikat.',
      sv: 'Skaffa ett nytt certifikat.',
      nb: 'Skaff et nytt sertifikat.',
    },
  },
  ROLE_INVALID: {
    cause: {
      en: 'The certificate does not carry the requested role.',
      da: 'Certifikatet indeholder ikke den ønskede rolle.',
      sv: 'Certifikatet innehåller inte den begärda rollen.',
      nb: 'Sertifikatet inneholder ikke den ønskede rollen.',
    },
    cure: {
      en: 'Request only roles that the certificate holds.',
      da: 'Anmod kun om roller, som certifikatet indeholder.',
      sv: 'Begär bara roller som certifikatet innehåller.',
      nb: 'Be bare om roller som sertifikatet inneholder.',
    },
  },
  TOKEN_MISSING: {
    cause: {
      en: 'There is no bearer token.',
      da: 'Der er intet bearer-token.',
      sv: 'Det finns ingen bearer-token.',
      nb: 'Det finnes ikke noe bearer-token.',
    },
    cure: {
      en: 'Send `Authorization: Bearer <ACCESS_TOKEN>`.',
      da: 'Send headeren `Authorization: Bearer <ACCESS_TOKEN>`.',
      sv: 'Skicka headern `Authorization: Bearer <ACCESS_TOKEN>`.',
      nb: 'Send med headeren `Authorization: Bearer <ACCESS_TOKEN>`.',
    },
  },
  TOKEN_INVALID: {
    cause: {
      en: 'The token is not one of ours, is bound to another client, or its client was deleted.',
      da: 'Tokenet er ikke et af vores, er bundet til en anden klient, eller dets klient er slettet.',
      sv: 'Token är inte en av våra, är bunden till en annan klient eller dess klient är raderad.',
      nb: 'Tokenet er ikke et av våre, er bundet til en annen klient, eller klienten er slettet.',
    },
    cure: {
      en: 'Obtain a new token over the certificate that you present.',
      da: 'Hent et nyt token med det certifikat, som du fremlægger.',
      sv: 'Hämta en ny token med det certifikat som du visar upp.',
      nb: 'Hent et nytt token med sertifikatet som du legger frem.',
    },
  },
  TOKEN_EXPIRED: {
    cause: {
      en: 'The token is past its lifetime.',
      da: 'Tokenets levetid er udløbet.',
      sv: 'Tokens livslängd har gått ut.',
      nb: 'Tokenets levetid er utløpt.',
    },
    cure: {
      en: 'Obtain a new token.',
      da: 'Hent et nyt token.',
      sv: 'Hämta en ny token.',
      nb: 'Skaff et nytt token.',
    },
  },
  SCOPE_INSUFFICIENT: {
    cause: {
      en: 'The token does not carry the scope that the route demands.',
      da: 'Tokenet har ikke det scope, som ruten kræver.',
      sv: 'Token har inte det scope som rutten kräver.',
      nb: 'Tokenet har ikke det scopet som ruten krever.',
    },
    cure: {
      en: 'Obtain a token with the scope; it must be among the roles of the client.',
      da: 'Hent et token med dette scope; det skal være blandt klientens roller.',
      sv: 'Hämta en token med detta scope; det måste finnas bland klientens roller.',
      nb: 'Hent et token med dette scopet; det må være blant klientens roller.',
    },
  },
  CLIENT_UNKNOWN: {
    cause: {
      en: 'The client id is unknown or not owned by the presenting certificate.',
      da: 'Klient-id’et er ukendt eller tilhører ikke det fremlagte certifikat.',
      sv: 'Klient-id:t är okänt eller hör inte till det uppvisade certifikatet.',
      nb: 'Klient-ID-en er ukjent eller tilhører ikke sertifikatet som ble lagt frem.',
    },
    cure: {
      en: 'Use the clientId from the registration response, over a certificate of that client.',
      da: 'Brug det `clientId`, som registreringen svarede med, over et certifikat, der tilhører klienten.',
      sv: 'Använd det `clientId` som registreringen svarade med, över ett av klientens certifikat.',
      nb: 'Bruk den `clientId` som registreringen svarte med, over et av klientens sertifikater.',
    },
  },
  RESOURCE_UNKNOWN: {
    cause: {
      en: 'There is no such resource for this client.',
      da: 'Denne klient har ingen sådan ressource.',
      sv: 'Den här klienten har ingen sådan resurs.',
      nb: 'Denne klienten har ingen slik ressurs.',
    },
    cure: {
      en: 'Use an id that an earlier response of this client contained.',
      da: 'Brug et id fra et tidligere svar til denne klient.',
      sv: 'Använd ett id från ett tidigare svar till den här klienten.',
      nb: 'Bruk en ID fra et tidligere svar til denne klienten.',
    },
  },
  ROUTE_UNKNOWN: {
    cause: {
      en: 'No route has this path.',
      da: 'Ingen rute har denne sti.',
      sv: 'Ingen rutt har denna sökväg.',
      nb: 'Ingen rute har denne stien.',
    },
    cure: {
      en: 'Check the path against the documentation.',
      da: 'Sammenlign stien med dokumentationen.',
      sv: 'Jämför sökvägen med dokumentationen.',
      nb: 'Sammenlign stien med dokumentasjonen.',
    },
  },
  METHOD_NOT_ALLOWED: {
    cause: {
      en: 'The path exists, but not with this method.',
      da: 'Stien findes, men ikke med denne metode.',
      sv: 'Sökvägen finns, men inte med denna metod.',
      nb: 'Stien finnes, men ikke med denne metoden.',
    },
    cure: {
      en: 'Use a method that the `Allow` header names.',
      da: 'Brug en metode, som headeren `Allow` nævner.',
      sv: 'Använd en metod som headern `Allow` anger.',
      nb: 'Bruk en metode som headeren `Allow` nevner.',
    },
  },
  CURSOR_INVALID: {
    cause: {
      en: 'The cursor is not one of ours, or account, from, to or limit changed since it was given.',
      da: 'Cursoren er ikke en af vores, eller konto, `from`, `to` eller `limit` er ændret, siden den blev givet.',
      sv: 'Markören är inte en av våra, eller så har konto, `from`, `to` eller `limit` ändrats sedan den gavs.',
      nb: 'Markøren er ikke en av våre, eller konto, `from`, `to` eller `limit` er endret siden den ble gitt.',
    },
    cure: {
      en: 'Start again without cursor.',
      da: 'Begynd forfra uden cursor.',
      sv: 'Börja om utan markör.',
      nb: 'Begynn på nytt uten markør.',
    },
  },
  STATUS_INVALID: {
    cause: {
      en: 'The resource is in a state that does not allow this, or the client has as many of its kind as it may have.',
      da: 'Ressourcen er i en tilstand, som ikke tillader dette, eller klienten har så mange af slagsen, som den må have.',
      sv: 'Resursen är i ett tillstånd som inte tillåter detta, eller så har klienten så många av slaget som den får ha.',
      nb: 'Ressursen er i en tilstand som ikke tillater dette, eller klienten har så mange av slaget som den kan ha.',
    },
    cure: {
      en: 'Read the resource and act on its present status; where there are too many, delete one first.',
      da: 'Læs ressourcen, og handl efter dens aktuelle status; er der for mange, så slet en først.',
      sv: 'Läs resursen och agera efter dess aktuella status; finns det för många, radera en först.',
      nb: 'Les ressursen, og handle etter dens nåværende status; er det for mange, slett én først.',
    },
  },
  DUPLICATE_ID: {
    cause: {
      en: 'The id chosen by the caller is taken, or was taken once.',
      da: 'Det id, som kalderen har valgt, er optaget eller har været det.',
      sv: 'Det id som anroparen har valt är upptaget eller har varit det.',
      nb: 'ID-en som kalleren har valgt, er opptatt eller har vært det.',
    },
    cure: {
      en: 'Choose another id.',
      da: 'Vælg et andet id.',
      sv: 'Välj ett annat id.',
      nb: 'Velg en annen ID.',
    },
  },
  IDEMPOTENCY_CONFLICT: {
    cause: {
      en: 'The request id was used before with another body.',
      da: 'Forespørgsels-id’et er tidligere brugt med et andet indhold.',
      sv: 'Begärans id har använts tidigare med ett annat innehåll.',
      nb: 'Forespørselens ID er tidligere brukt med et annet innhold.',
    },
    cure: {
      en: 'Repeat the first body, or choose a new request id.',
      da: 'Gentag det første indhold, eller vælg et nyt forespørgsels-id.',
      sv: 'Upprepa det första innehållet eller välj ett nytt id för begäran.',
      nb: 'Gjenta det første innholdet, eller velg en ny ID for forespørselen.',
    },
  },
  FUNDS_INSUFFICIENT: {
    cause: {
      en: 'The available amount of the account does not cover the amount.',
      da: 'Kontoens disponible beløb dækker ikke beløbet.',
      sv: 'Kontots disponibla belopp täcker inte beloppet.',
      nb: 'Kontoens disponible beløp dekker ikke beløpet.',
    },
    cure: {
      en: 'Lower the amount or wait for funds.',
      da: 'Sænk beløbet, eller vent på dækning.',
      sv: 'Sänk beloppet eller vänta på täckning.',
      nb: 'Senk beløpet, eller vent på dekning.',
    },
  },
  RATE_LIMITED: {
    cause: {
      en: 'Too many requests.',
      da: 'For mange forespørgsler.',
      sv: 'För många förfrågningar.',
      nb: 'For mange forespørsler.',
    },
    cure: {
      en: 'Wait for the time in `Retry-After`.',
      da: 'Vent så længe, som `Retry-After` angiver.',
      sv: 'Vänta så länge som `Retry-After` anger.',
      nb: 'Vent så lenge som `Retry-After` angir.',
    },
  },
  PAYLOAD_TOO_LARGE: {
    cause: {
      en: 'The body is larger than allowed.',
      da: 'Forespørgslens indhold er større end tilladt.',
      sv: 'Begärans innehåll är större än tillåtet.',
      nb: 'Innholdet i forespørselen er større enn tillatt.',
    },
    cure: {
      en: 'Send a smaller body.',
      da: 'Send et mindre indhold.',
      sv: 'Skicka ett mindre innehåll.',
      nb: 'Send et mindre innhold.',
    },
  },
  UNAVAILABLE: {
    cause: {
      en: 'Something that the answer depends on does not respond at the moment.',
      da: 'Noget, som svaret afhænger af, svarer ikke i øjeblikket.',
      sv: 'Något som svaret är beroende av svarar inte just nu.',
      nb: 'Noe som svaret avhenger av, svarer ikke akkurat nå.',
    },
    cure: {
      en: 'Repeat the request after the time in `Retry-After`.',
      da: 'Gentag forespørgslen efter den tid, som `Retry-After` angiver.',
      sv: 'Upprepa begäran efter den tid som `Retry-After` anger.',
      nb: 'Gjenta forespørselen etter den tiden som `Retry-After` angir.',
    },
  },
  INTERNAL_ERROR: {
    cause: {
      en: 'A fault of the service.',
      da: 'En fejl i tjenesten.',
      sv: 'Ett fel i tjänsten.',
      nb: 'En feil i tjenesten.',
    },
    cure: {
      en: 'Repeat the request; report the requestId when it persists.',
      da: 'Gentag forespørgslen; oplys `requestId`, hvis fejlen fortsætter.',
      sv: 'Upprepa begäran; uppge `requestId` om felet kvarstår.',
      nb: 'Gjenta forespørselen; oppgi `requestId` hvis feilen vedvarer.',
    },
  },
} as const satisfies Record<string, Record<'cause' | 'cure', Template>>;
