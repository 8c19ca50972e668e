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
    en: 'The parameter grant_type is missing.',
    da: 'Parameteren grant_type mangler.',
    sv: 'Parametern grant_type saknas.',
    nb: 'Parameteren grant_type mangler.',
  },
  'grant-type-unsupported': {
    en: 'The grant types here are client_credentials, authorization_code and refresh_token.',
    da: 'Værdierne for grant_type er her client_credentials, authorization_code og refresh_token.',
    sv: 'Värdena för grant_type är här client_credentials, authorization_code och refresh_token.',
    nb: 'Verdiene for grant_type er her client_credentials, authorization_code og refresh_token.',
  },
  'parameter-missing': {
    en: 'The parameter {name} is missing.',
    da: 'Parameteren {name} mangler.',
    sv: 'Parametern {name} saknas.',
    nb: 'Parameteren {name} mangler.',
  },
  'verifier-malformed': {
    en: 'The parameter code_verifier has 43 to 128 characters: letters, digits, hyphen, period, underscore and tilde.',
    da: 'Parameteren code_verifier har 43 til 128 tegn: bogstaver, cifre, bindestreg, punktum, understregning og tilde.',
    sv: 'Parametern code_verifier har 43 till 128 tecken: bokstäver, siffror, bindestreck, punkt, understreck och tilde.',
    nb: 'Parameteren code_verifier har 43 til 128 tegn: bokstaver, sifre, bindestrek, punktum, understrek og tilde.',
  },
  'grant-invalid': {
    en: 'The code or refresh token is not valid for this client: it may have ended, have been used or been revoked.',
    da: 'Koden eller refresh-tokenet er ikke gyldigt for denne klient: det kan være udløbet, brugt eller tilbagekaldt.',
    sv: 'Koden eller refresh-token är inte giltig för den här klienten: den kan ha gått ut, använts eller återkallats.',
    nb: 'Koden eller refresh-tokenet er ikke gyldig for denne klienten: det kan være utløpt, brukt eller tilbakekalt.',
  },
  'token-missing': {
    en: 'The parameter token is missing; send the access token or the refresh token.',
    da: 'Parameteren token mangler; send adgangstokenet eller refresh-tokenet.',
    sv: 'Parametern token saknas; skicka åtkomsttoken eller refresh-token.',
    nb: 'Parameteren token mangler; send tilgangstokenet eller refresh-tokenet.',
  },
  'revocation-pending': {
    en: 'The refresh token has ended; its access tokens are being revoked. Repeat the request to hear when that is done.',
    da: 'Refresh-tokenet er ophørt; dets adgangstokens er ved at blive tilbagekaldt. Gentag forespørgslen for at høre, hvornår det er sket.',
    sv: 'Refresh-token har upphört; dess åtkomsttoken håller på att återkallas. Upprepa begäran för att få veta när det är klart.',
    nb: 'Refresh-tokenet er avsluttet; tilgangstokenene holder på å bli tilbakekalt. Gjenta forespørselen for å høre når det er gjort.',
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
