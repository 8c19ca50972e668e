import { defineTexts } from '@kontoport/errors';

/** Faults of an authorization request: translated for users on pages, in English for clients in `error_description`. */
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
  'redirect-uri-refused':
    'The parameter redirect_uri must be one of the registered redirect URIs, character by character.',
  'request-uri': {
    en: 'This request has ended or was used already. Go back to the app or website that sent you here and start again.',
    da: 'Denne anmodning er udløbet eller allerede brugt. Gå tilbage til den app eller det websted, der sendte dig hertil, og start forfra.',
    sv: 'Den här begäran har gått ut eller redan använts. Gå tillbaka till appen eller webbplatsen som skickade dig hit och börja om.',
    nb: 'Denne forespørselen er utløpt eller allerede brukt. Gå tilbake til appen eller nettstedet som sendte deg hit, og start på nytt.',
  },
  'request-uri-pushed': 'A pushed request cannot refer to another one; leave out request_uri.',
  'push-required': 'Authorization requests must be pushed first, to /oauth2/par.',
  'request-object': 'Request objects are not supported; push the request to /oauth2/par.',
  'response-type-missing': 'The parameter response_type is missing; send code.',
  'response-type': 'The only response_type here is code.',
  'response-mode': 'The only response_mode here is query.',
  state: 'The parameter state is at most {characters} characters of printable ASCII.',
  scope: 'The scope must be among the roles of the client: {roles}.',
  'challenge-missing': 'The parameter code_challenge is missing; PKCE is mandatory.',
  'challenge-method': 'The only code_challenge_method here is S256.',
  challenge: 'The parameter code_challenge is the base64url SHA-256 of the verifier, 43 characters.',
  prompt: 'The parameter prompt is none, login, consent or select_account; none stands alone.',
  'login-hint': 'The parameter login_hint has at most {characters} characters.',
  'authorization-details':
    'The parameter authorization_details holds one object of type accounts, with validDays from 1 to {days} or without.',
  'login-required': 'A user has to be asked; repeat the request without prompt=none.',
  denied: 'The user has refused.',
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
