import { defineTexts } from '@kontoport/errors';

/** What the token endpoint refuses, for the log and for whoever reads `error_description`. */
export const TEXTS = defineTexts({
  'keys-unknown': {
    en: 'Tokens cannot be issued at the moment; repeat the request later.',
    da: 'Der kan ikke udstedes tokens i øjeblikket; gentag forespørgslen senere.',
    sv: 'Token kan inte utfärdas just nu; upprepa begäran senare.',
    nb: 'Tokener kan ikke utstedes akkurat nå; gjenta forespørselen senere.',
  },
  'credentials-missing': {
    en: 'There are no client credentials; send clientId and clientSecret as HTTP Basic authentication.',
    da: 'Der er ingen klientoplysninger; send clientId og clientSecret som HTTP Basic-godkendelse.',
    sv: 'Det finns inga klientuppgifter; skicka clientId och clientSecret som HTTP Basic-autentisering.',
    nb: 'Det finnes ingen klientopplysninger; send clientId og clientSecret som HTTP Basic-autentisering.',
  },
  'credentials-refused': {
    en: 'The client credentials are not valid for the presented client certificate.',
    da: 'Klientoplysningerne er ikke gyldige for det fremlagte klientcertifikat.',
    sv: 'Klientuppgifterna är inte giltiga för det uppvisade klientcertifikatet.',
    nb: 'Klientopplysningene er ikke gyldige for klientsertifikatet som ble lagt frem.',
  },
  'secrets-too-many': {
    en: 'Too many wrong client credentials over this certificate; repeat the request in {seconds} s.',
    da: 'For mange forkerte klientoplysninger over dette certifikat; gentag forespørgslen om {seconds} s.',
    sv: 'För många felaktiga klientuppgifter över detta certifikat; upprepa begäran om {seconds} s.',
    nb: 'For mange feil klientopplysninger over dette sertifikatet; gjenta forespørselen om {seconds} s.',
  },
  'secrets-of-all-too-many': {
    en: 'Too many wrong client credentials over the certificates of this organization; repeat the request in {seconds} s.',
    da: 'For mange forkerte klientoplysninger over denne organisations certifikater; gentag forespørgslen om {seconds} s.',
    sv: 'För många felaktiga klientuppgifter över denna organisations certifikat; upprepa begäran om {seconds} s.',
    nb: 'For mange feil klientopplysninger over denne organisasjonens sertifikater; gjenta forespørselen om {seconds} s.',
  },
  'credentials-malformed': {
    en: 'The Authorization header is not HTTP Basic authentication with the form-encoded clientId and clientSecret.',
    da: 'Headeren Authorization er ikke HTTP Basic-godkendelse med formularkodet clientId og clientSecret.',
    sv: 'Headern Authorization är inte HTTP Basic-autentisering med formulärkodade clientId och clientSecret.',
    nb: 'Headeren Authorization er ikke HTTP Basic-autentisering med skjemakodet clientId og clientSecret.',
  },
  'credentials-in-body': {
    en: 'Client credentials in the body are not accepted; send them as HTTP Basic authentication.',
    da: 'Klientoplysninger i indholdet modtages ikke; send dem som HTTP Basic-godkendelse.',
    sv: 'Klientuppgifter i innehållet tas inte emot; skicka dem som HTTP Basic-autentisering.',
    nb: 'Klientopplysninger i innholdet godtas ikke; send dem som HTTP Basic-autentisering.',
  },
  'client-id-differs': {
    en: 'The parameter client_id names another client than the credentials.',
    da: 'Parameteren client_id angiver en anden klient end klientoplysningerne.',
    sv: 'Parametern client_id anger en annan klient än klientuppgifterna.',
    nb: 'Parameteren client_id angir en annen klient enn klientopplysningene.',
  },
  'grant-type-missing': {
    en: 'The parameter grant_type is missing; send client_credentials.',
    da: 'Parameteren grant_type mangler; send client_credentials.',
    sv: 'Parametern grant_type saknas; skicka client_credentials.',
    nb: 'Parameteren grant_type mangler; send client_credentials.',
  },
  'grant-type-unsupported': {
    en: 'The only grant type here is client_credentials.',
    da: 'Den eneste grant_type her er client_credentials.',
    sv: 'Den enda grant_type här är client_credentials.',
    nb: 'Den eneste grant_type her er client_credentials.',
  },
  'token-missing': {
    en: 'The parameter token is missing; send the access token.',
    da: 'Parameteren token mangler; send adgangstokenet.',
    sv: 'Parametern token saknas; skicka åtkomsttoken.',
    nb: 'Parameteren token mangler; send tilgangstokenet.',
  },
  'no-role-held': {
    en: 'The presented certificate holds none of the roles of the client.',
    da: 'Det fremlagte certifikat har ingen af klientens roller.',
    sv: 'Det uppvisade certifikatet har ingen av klientens roller.',
    nb: 'Sertifikatet som ble lagt frem, har ingen av klientens roller.',
  },
  'scope-not-held': {
    en: 'The scope must be among the roles of client and certificate: {roles}.',
    da: 'Scopet skal være blandt klientens og certifikatets roller: {roles}.',
    sv: 'Scopet måste finnas bland klientens och certifikatets roller: {roles}.',
    nb: 'Scopet må være blant klientens og sertifikatets roller: {roles}.',
  },
});
