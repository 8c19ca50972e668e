import { defineTexts } from '@kontoport/errors';

/** What the gate says to whoever it does not let through. */
export const GATE_TEXTS = defineTexts({
  'certificate-missing': {
    en: 'No client certificate was presented; present the eIDAS QWAC with its chain in the TLS handshake.',
    da: 'Der blev ikke fremlagt et klientcertifikat; fremlæg eIDAS-QWAC-certifikatet med dets kæde i TLS-handshaket.',
    sv: 'Inget klientcertifikat visades upp; visa upp eIDAS-QWAC-certifikatet med dess kedja i TLS-handskakningen.',
    nb: 'Det ble ikke lagt frem noe klientsertifikat; legg frem eIDAS-QWAC-sertifikatet med kjeden i TLS-håndtrykket.',
  },
  'certificate-refused': {
    en: 'The client certificate is refused.',
    da: 'Klientcertifikatet afvises.',
    sv: 'Klientcertifikatet avvisas.',
    nb: 'Klientsertifikatet avvises.',
  },
  'forwarded-refused': {
    en: 'The forwarded client certificate is refused: {why}.',
    da: 'Det videresendte klientcertifikat afvises: {why}.',
    sv: 'Det vidarebefordrade klientcertifikatet avvisas: {why}.',
    nb: 'Det videresendte klientsertifikatet avvises: {why}.',
  },
  'not-from-edge': {
    en: 'it was not handed over by the edge',
    da: 'det blev ikke overdraget af indgangen',
    sv: 'det överlämnades inte av ingången',
    nb: 'det ble ikke overlevert av inngangen',
  },
  'chain-alone': {
    en: 'the chain stands without a certificate',
    da: 'kæden står uden et certifikat',
    sv: 'kedjan står utan certifikat',
    nb: 'kjeden står uten sertifikat',
  },
  'too-many-certificates': {
    en: 'more than {most} certificates',
    da: 'mere end {most} certifikater',
    sv: 'fler än {most} certifikat',
    nb: 'flere enn {most} sertifikater',
  },
  'header-twice': {
    en: 'the header stands more than once',
    da: 'headeren står mere end én gang',
    sv: 'headern förekommer mer än en gång',
    nb: 'headeren står mer enn én gang',
  },
  'chain-too-large': {
    en: 'the chain is too large',
    da: 'kæden er for stor',
    sv: 'kedjan är för stor',
    nb: 'kjeden er for stor',
  },
  'another-format': {
    en: 'it stands in a header that the edge does not use',
    da: 'det står i en header, som indgangen ikke bruger',
    sv: 'det står i en header som ingången inte använder',
    nb: 'det står i en header som inngangen ikke bruker',
  },
  'several-callers': {
    en: 'the header names more than one caller',
    da: 'headeren nævner mere end én afsender',
    sv: 'headern anger mer än en avsändare',
    nb: 'headeren nevner mer enn én avsender',
  },
  'not-the-form': {
    en: 'the header does not have the agreed form',
    da: 'headeren har ikke den aftalte form',
    sv: 'headern har inte den avtalade formen',
    nb: 'headeren har ikke den avtalte formen',
  },
  'client-too-fast': {
    en: 'A client may make {most} requests in {window} seconds; go on in {seconds} seconds.',
    da: 'En klient må sende {most} forespørgsler på {window} sekunder; fortsæt om {seconds} sekunder.',
    sv: 'En klient får skicka {most} begäranden på {window} sekunder; fortsätt om {seconds} sekunder.',
    nb: 'En klient kan sende {most} forespørsler på {window} sekunder; fortsett om {seconds} sekunder.',
  },
  'organization-too-fast': {
    en: 'The clients of an organization may make {most} requests in {window} seconds together; go on in {seconds} seconds.',
    da: 'En organisations klienter må tilsammen sende {most} forespørgsler på {window} sekunder; fortsæt om {seconds} sekunder.',
    sv: 'En organisations klienter får tillsammans skicka {most} begäranden på {window} sekunder; fortsätt om {seconds} sekunder.',
    nb: 'Klientene til en organisasjon kan til sammen sende {most} forespørsler på {window} sekunder; fortsett om {seconds} sekunder.',
  },
  'token-missing': {
    en: 'There is no access token; send `Authorization: Bearer <ACCESS_TOKEN>`.',
    da: 'Der er intet adgangstoken; send `Authorization: Bearer <ACCESS_TOKEN>`.',
    sv: 'Det finns ingen åtkomsttoken; skicka `Authorization: Bearer <ACCESS_TOKEN>`.',
    nb: 'Det finnes ikke noe tilgangstoken; send `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  'token-malformed': {
    en: 'The Authorization header is not `Bearer <ACCESS_TOKEN>`.',
    da: 'Headeren Authorization er ikke `Bearer <ACCESS_TOKEN>`.',
    sv: 'Headern Authorization är inte `Bearer <ACCESS_TOKEN>`.',
    nb: 'Headeren Authorization er ikke `Bearer <ACCESS_TOKEN>`.',
  },
  'token-invalid': {
    en: 'The access token is not valid; obtain a new one.',
    da: 'Adgangstokenet er ikke gyldigt; hent et nyt.',
    sv: 'Åtkomsttoken är inte giltig; hämta en ny.',
    nb: 'Tilgangstokenet er ikke gyldig; hent et nytt.',
  },
  'client-new': {
    en: 'The client is not known here yet; repeat the request later.',
    da: 'Klienten er ikke kendt her endnu; gentag forespørgslen senere.',
    sv: 'Klienten är inte känd här ännu; upprepa begäran senare.',
    nb: 'Klienten er ikke kjent her ennå; gjenta forespørselen senere.',
  },
  'token-from-future': {
    en: 'The access token is issued in the future; obtain a new one.',
    da: 'Adgangstokenet er udstedt i fremtiden; hent et nyt.',
    sv: 'Åtkomsttoken är utfärdad i framtiden; hämta en ny.',
    nb: 'Tilgangstokenet er utstedt i fremtiden; hent et nytt.',
  },
  'token-expired': {
    en: 'The access token has expired; obtain a new one.',
    da: 'Adgangstokenet er udløbet; hent et nyt.',
    sv: 'Åtkomsttoken har gått ut; hämta en ny.',
    nb: 'Tilgangstokenet er utløpt; hent et nytt.',
  },
  'token-unverifiable': {
    en: 'Access tokens cannot be verified at the moment; repeat the request later.',
    da: 'Adgangstokens kan ikke kontrolleres i øjeblikket; gentag forespørgslen senere.',
    sv: 'Åtkomsttoken kan inte kontrolleras just nu; upprepa begäran senare.',
    nb: 'Tilgangstokener kan ikke kontrolleres akkurat nå; gjenta forespørselen senere.',
  },
  'token-of-another': {
    en: 'The access token belongs to another client certificate.',
    da: 'Adgangstokenet hører til et andet klientcertifikat.',
    sv: 'Åtkomsttoken hör till ett annat klientcertifikat.',
    nb: 'Tilgangstokenet hører til et annet klientsertifikat.',
  },
  'scope-missing': {
    en: 'The access token does not carry the scope {scope}.',
    da: 'Adgangstokenet har ikke scopet {scope}.',
    sv: 'Åtkomsttoken har inte scopet {scope}.',
    nb: 'Tilgangstokenet har ikke scopet {scope}.',
  },
  'role-missing': {
    en: 'The presented certificate does not carry the role {scope}.',
    da: 'Det fremlagte certifikat har ikke rollen {scope}.',
    sv: 'Det uppvisade certifikatet har inte rollen {scope}.',
    nb: 'Sertifikatet som ble lagt frem, har ikke rollen {scope}.',
  },
});
