import { defineTexts } from '@kontoport/errors';

/** Texts of the frame around every page. */
export const SHELL_TEXTS = defineTexts({
  skip: {
    en: 'Skip to the content',
    da: 'Gå til indholdet',
    sv: 'Gå till innehållet',
    nb: 'Gå til innholdet',
  },
  navigation: { en: 'Main menu', da: 'Hovedmenu', sv: 'Huvudmeny', nb: 'Hovedmeny' },
  start: { en: 'Home', da: 'Forside', sv: 'Startsida', nb: 'Startside' },
  guides: { en: 'Guides', da: 'Vejledninger', sv: 'Guider', nb: 'Veiledninger' },
  reference: { en: 'Reference', da: 'Dokumentation', sv: 'Referens', nb: 'Referanse' },
  errors: { en: 'Error codes', da: 'Fejlkoder', sv: 'Felkoder', nb: 'Feilkoder' },
  addresses: { en: 'Addresses', da: 'Adresser', sv: 'Adresser', nb: 'Adresser' },
  base_url: {
    en: 'Accounts, payments and webhooks',
    da: 'Konti, betalinger og webhooks',
    sv: 'Konton, betalningar och webhooks',
    nb: 'Kontoer, betalinger og webhooks',
  },
  registration_url: {
    en: 'Registration of clients',
    da: 'Registrering af klienter',
    sv: 'Registrering av klienter',
    nb: 'Registrering av klienter',
  },
  auth_url: { en: 'Access tokens', da: 'Adgangstokens', sv: 'Åtkomsttoken', nb: 'Tilgangstokener' },
  user_url: {
    en: 'Pages for the users of the bank',
    da: 'Sider for bankens brugere',
    sv: 'Sidor för bankens användare',
    nb: 'Sider for bankens brukere',
  },
});
