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
  start: { en: 'Start', da: 'Start', sv: 'Start', nb: 'Start' },
  reference: { en: 'Reference', da: 'Reference', sv: 'Referens', nb: 'Referanse' },
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
  auth_url: { en: 'Tokens', da: 'Tokens', sv: 'Tokens', nb: 'Tokener' },
  user_url: {
    en: 'Pages for the users of the bank',
    da: 'Sider for bankens brugere',
    sv: 'Sidor för bankens användare',
    nb: 'Sider for bankens brukere',
  },
});
