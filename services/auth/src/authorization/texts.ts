import { defineTexts } from '@kontoport/errors';

/** The faults of an authorization request, for its client and for the user at the browser. */
export const AUTHORIZATION_TEXTS = defineTexts({
  'client-unknown': {
    en: 'The app or website that sent you here is not known to us.',
    da: 'Vi kender ikke den app eller det websted, der sendte dig hertil.',
    sv: 'Vi känner inte till appen eller webbplatsen som skickade dig hit.',
    nb: 'Vi kjenner ikke appen eller nettstedet som sendte deg hit.',
  },
  'redirect-uri': {
    en: 'The app or website that sent you here named a return address that it has not registered.',
    da: 'Den app eller det websted, der sendte dig hertil, angav en returadresse, som ikke er registreret.',
    sv: 'Appen eller webbplatsen som skickade dig hit angav en returadress som inte är registrerad.',
    nb: 'Appen eller nettstedet som sendte deg hit, oppga en returadresse som ikke er registrert.',
  },
  'redirect-uri-refused': {
    en: 'The parameter redirect_uri must be one of the registered redirect URIs, character by character.',
    da: 'Parameteren redirect_uri skal være en af de registrerede redirect-URI’er, tegn for tegn.',
    sv: 'Parametern redirect_uri måste vara en av de registrerade redirect-URI:erna, tecken för tecken.',
    nb: 'Parameteren redirect_uri må være en av de registrerte redirect-URI-ene, tegn for tegn.',
  },
  'request-uri': {
    en: 'This request has ended or was used already. Go back to the app or website that sent you here and start again.',
    da: 'Denne anmodning er udløbet eller allerede brugt. Gå tilbage til den app eller det websted, der sendte dig hertil, og start forfra.',
    sv: 'Den här begäran har gått ut eller redan använts. Gå tillbaka till appen eller webbplatsen som skickade dig hit och börja om.',
    nb: 'Denne forespørselen er utløpt eller allerede brukt. Gå tilbake til appen eller nettstedet som sendte deg hit, og start på nytt.',
  },
  'request-uri-pushed': {
    en: 'A pushed request cannot refer to another one; leave out request_uri.',
    da: 'En pushet anmodning kan ikke henvise til en anden; udelad request_uri.',
    sv: 'En pushad begäran kan inte hänvisa till en annan; utelämna request_uri.',
    nb: 'En pushet forespørsel kan ikke vise til en annen; utelat request_uri.',
  },
  'push-required': {
    en: 'Authorization requests must be pushed first, to /oauth2/par.',
    da: 'Godkendelsesanmodninger skal først pushes til /oauth2/par.',
    sv: 'Auktoriseringsbegäranden måste först pushas till /oauth2/par.',
    nb: 'Autorisasjonsforespørsler må først pushes til /oauth2/par.',
  },
  'request-object': {
    en: 'Request objects are not supported; push the request to /oauth2/par.',
    da: 'Request-objekter understøttes ikke; push anmodningen til /oauth2/par.',
    sv: 'Request-objekt stöds inte; pusha begäran till /oauth2/par.',
    nb: 'Request-objekter støttes ikke; push forespørselen til /oauth2/par.',
  },
  'response-type-missing': {
    en: 'The parameter response_type is missing; send code.',
    da: 'Parameteren response_type mangler; send code.',
    sv: 'Parametern response_type saknas; skicka code.',
    nb: 'Parameteren response_type mangler; send code.',
  },
  'response-type': {
    en: 'The only response_type here is code.',
    da: 'Den eneste response_type her er code.',
    sv: 'Den enda response_type här är code.',
    nb: 'Den eneste response_type her er code.',
  },
  'response-mode': {
    en: 'The only response_mode here is query.',
    da: 'Den eneste response_mode her er query.',
    sv: 'Den enda response_mode här är query.',
    nb: 'Den eneste response_mode her er query.',
  },
  state: {
    en: 'The parameter state is at most {characters} characters of printable ASCII.',
    da: 'Parameteren state er højst {characters} tegn af skrivbar ASCII.',
    sv: 'Parametern state är högst {characters} tecken utskrivbar ASCII.',
    nb: 'Parameteren state er høyst {characters} tegn med skrivbar ASCII.',
  },
  scope: {
    en: 'The scope must be among the roles of the client: {roles}.',
    da: 'Scopet skal være blandt klientens roller: {roles}.',
    sv: 'Scopet måste finnas bland klientens roller: {roles}.',
    nb: 'Scopet må være blant klientens roller: {roles}.',
  },
  'challenge-missing': {
    en: 'The parameter code_challenge is missing; PKCE is mandatory.',
    da: 'Parameteren code_challenge mangler; PKCE er påkrævet.',
    sv: 'Parametern code_challenge saknas; PKCE är obligatoriskt.',
    nb: 'Parameteren code_challenge mangler; PKCE er påkrevd.',
  },
  'challenge-method': {
    en: 'The only code_challenge_method here is S256.',
    da: 'Den eneste code_challenge_method her er S256.',
    sv: 'Den enda code_challenge_method här är S256.',
    nb: 'Den eneste code_challenge_method her er S256.',
  },
  challenge: {
    en: 'The parameter code_challenge is the base64url SHA-256 of the verifier, 43 characters.',
    da: 'Parameteren code_challenge er verifierens SHA-256 i base64url, 43 tegn.',
    sv: 'Parametern code_challenge är verifierarens SHA-256 i base64url, 43 tecken.',
    nb: 'Parameteren code_challenge er verifikatorens SHA-256 i base64url, 43 tegn.',
  },
  prompt: {
    en: 'The parameter prompt is none, login, consent or select_account; none stands alone.',
    da: 'Parameteren prompt er none, login, consent eller select_account; none står alene.',
    sv: 'Parametern prompt är none, login, consent eller select_account; none står ensamt.',
    nb: 'Parameteren prompt er none, login, consent eller select_account; none står alene.',
  },
  'login-hint': {
    en: 'The parameter login_hint has at most {characters} characters.',
    da: 'Parameteren login_hint har højst {characters} tegn.',
    sv: 'Parametern login_hint har högst {characters} tecken.',
    nb: 'Parameteren login_hint har høyst {characters} tegn.',
  },
  'authorization-details': {
    en: 'The parameter authorization_details holds one object of type accounts, with validDays from 1 to {days} or without.',
    da: 'Parameteren authorization_details rummer ét objekt af typen accounts, med validDays fra 1 til {days} eller uden.',
    sv: 'Parametern authorization_details innehåller ett objekt av typen accounts, med validDays från 1 till {days} eller utan.',
    nb: 'Parameteren authorization_details inneholder ett objekt av typen accounts, med validDays fra 1 til {days} eller uten.',
  },
  'login-required': {
    en: 'A user has to be asked; repeat the request without prompt=none.',
    da: 'En bruger skal spørges; gentag anmodningen uden prompt=none.',
    sv: 'En användare måste tillfrågas; upprepa begäran utan prompt=none.',
    nb: 'En bruker må spørres; gjenta forespørselen uten prompt=none.',
  },
  denied: {
    en: 'The user has refused.',
    da: 'Brugeren har afvist.',
    sv: 'Användaren har avböjt.',
    nb: 'Brukeren har avslått.',
  },
  away: {
    en: 'This is not possible at the moment; repeat the request later.',
    da: 'Det er ikke muligt i øjeblikket; gentag anmodningen senere.',
    sv: 'Det går inte just nu; upprepa begäran senare.',
    nb: 'Det er ikke mulig akkurat nå; gjenta forespørselen senere.',
  },
  decided: {
    en: 'You have already answered this request. Go back to the app or website that sent you here.',
    da: 'Du har allerede besvaret denne anmodning. Gå tilbage til den app eller det websted, der sendte dig hertil.',
    sv: 'Du har redan besvarat den här begäran. Gå tillbaka till appen eller webbplatsen som skickade dig hit.',
    nb: 'Du har allerede svart på denne forespørselen. Gå tilbake til appen eller nettstedet som sendte deg hit.',
  },
  'accounts-unknown': {
    en: 'Choose at least one of your accounts, and no other.',
    da: 'Vælg mindst én af dine konti, og ingen andre.',
    sv: 'Välj minst ett av dina konton, och inga andra.',
    nb: 'Velg minst én av dine kontoer, og ingen andre.',
  },
});
