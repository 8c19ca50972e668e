import { defineTexts } from '@kontoport/errors';

/** Texts of the pages on which a user gives a client access (§5.9). */
export const AUTHORIZATION_PAGE_TEXTS = defineTexts({
  'not-logged-in': {
    en: 'The bank did not log you in, so {client} has received nothing. Log in again, or cancel.',
    da: 'Banken loggede dig ikke ind, så {client} har intet modtaget. Log ind igen, eller annuller.',
    sv: 'Banken loggade inte in dig, så {client} har inte fått något. Logga in igen eller avbryt.',
    nb: 'Banken logget deg ikke inn, så {client} har ikke fått noe. Logg inn igjen, eller avbryt.',
  },
  'ask-title': {
    en: '{client} asks for access to your accounts',
    da: '{client} beder om adgang til dine konti',
    sv: '{client} ber om åtkomst till dina konton',
    nb: '{client} ber om tilgang til kontoene dine',
  },
  'may-title': {
    en: 'If you agree, {client} may',
    da: 'Hvis du giver adgang, må {client}',
    sv: 'Om du ger åtkomst får {client}',
    nb: 'Hvis du gir tilgang, kan {client}',
  },
  'may-read-accounts': {
    en: 'see name, number, owner and balance of the accounts that you choose',
    da: 'se navn, nummer, ejer og saldo på de konti, du vælger',
    sv: 'se namn, nummer, ägare och saldo för de konton som du väljer',
    nb: 'se navn, nummer, eier og saldo på kontoene du velger',
  },
  'may-read-transactions': {
    en: 'see their transactions, past and new',
    da: 'se deres posteringer, både tidligere og nye',
    sv: 'se deras transaktioner, både tidigare och nya',
    nb: 'se transaksjonene deres, både tidligere og nye',
  },
  'may-pay': {
    en: 'prepare payments from the accounts that you choose; none is made unless you approve it',
    da: 'forberede betalinger fra de konti, du vælger; ingen gennemføres, uden at du godkender den',
    sv: 'förbereda betalningar från de konton som du väljer; ingen görs utan att du godkänner den',
    nb: 'forberede betalinger fra kontoene du velger; ingen gjennomføres uten at du godkjenner den',
  },
  'may-confirm-funds': {
    en: 'ask whether there is enough money for a payment; the answer is yes or no',
    da: 'spørge, om der er penge nok til en betaling; svaret er ja eller nej',
    sv: 'fråga om pengarna räcker till en betalning; svaret är ja eller nej',
    nb: 'spørre om det er nok penger til en betaling; svaret er ja eller nei',
  },
  'accounts-legend': {
    en: 'Which accounts?',
    da: 'Hvilke konti?',
    sv: 'Vilka konton?',
    nb: 'Hvilke kontoer?',
  },
  'none-chosen': {
    en: 'Choose at least one account, or cancel.',
    da: 'Vælg mindst én konto, eller annuller.',
    sv: 'Välj minst ett konto, eller avbryt.',
    nb: 'Velg minst én konto, eller avbryt.',
  },
  'no-accounts': {
    en: 'You have no account that can be opened to others.',
    da: 'Du har ingen konto, der kan åbnes for andre.',
    sv: 'Du har inget konto som kan öppnas för andra.',
    nb: 'Du har ingen konto som kan åpnes for andre.',
  },
  'until-title': { en: 'For how long?', da: 'Hvor længe?', sv: 'Hur länge?', nb: 'Hvor lenge?' },
  until: {
    en: 'Until {date}. You can withdraw your consent at any time before.',
    da: 'Indtil {date}. Du kan når som helst trække dit samtykke tilbage før da.',
    sv: 'Till {date}. Du kan när som helst återkalla ditt samtycke innan dess.',
    nb: 'Til {date}. Du kan når som helst trekke samtykket tilbake før det.',
  },
  approve: { en: 'Give access', da: 'Giv adgang', sv: 'Ge åtkomst', nb: 'Gi tilgang' },
  'leaving-title': {
    en: 'Going back to {client}',
    da: 'Tilbage til {client}',
    sv: 'Tillbaka till {client}',
    nb: 'Tilbake til {client}',
  },
  'leaving-approved': {
    en: 'You have given access. If nothing happens, click Continue.',
    da: 'Du har givet adgang. Hvis der ikke sker noget, så klik på Fortsæt.',
    sv: 'Du har gett åtkomst. Om inget händer, klicka på Fortsätt.',
    nb: 'Du har gitt tilgang. Klikk på Fortsett hvis ingenting skjer.',
  },
  'leaving-refused': {
    en: 'You have not given access. If nothing happens, click Continue.',
    da: 'Du har ikke givet adgang. Hvis der ikke sker noget, så klik på Fortsæt.',
    sv: 'Du har inte gett någon åtkomst. Om inget händer, klicka på Fortsätt.',
    nb: 'Du har ikke gitt tilgang. Klikk på Fortsett hvis ingenting skjer.',
  },
  'gone-title': {
    en: 'This request is not open here',
    da: 'Denne anmodning er ikke åben her',
    sv: 'Den här begäran är inte öppen här',
    nb: 'Denne forespørselen er ikke åpen her',
  },
  gone: {
    en: 'It has ended, or it was opened in another browser. Go back to the app or website that sent you here and start again.',
    da: 'Den er udløbet eller blev åbnet i en anden browser. Gå tilbage til den app eller det websted, der sendte dig hertil, og start forfra.',
    sv: 'Den har gått ut eller öppnades i en annan webbläsare. Gå tillbaka till appen eller webbplatsen som skickade dig hit och börja om.',
    nb: 'Den er utløpt eller ble åpnet i en annen nettleser. Gå tilbake til appen eller nettstedet som sendte deg hit, og start på nytt.',
  },
  'decided-title': {
    en: 'You have already answered',
    da: 'Du har allerede svaret',
    sv: 'Du har redan svarat',
    nb: 'Du har allerede svart',
  },
  decided: {
    en: 'Nothing more is needed here. Go back to the app or website that sent you.',
    da: 'Du skal ikke gøre mere her. Gå tilbage til den app eller det websted, der sendte dig hertil.',
    sv: 'Du behöver inte göra något mer här. Gå tillbaka till appen eller webbplatsen som skickade dig hit.',
    nb: 'Du trenger ikke å gjøre mer her. Gå tilbake til appen eller nettstedet som sendte deg hit.',
  },
});
