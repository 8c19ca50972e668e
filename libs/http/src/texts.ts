import { defineTexts } from '@kontoport/errors';

/** What the server itself says, before or after a route's own words. */
export const HTTP_TEXTS = defineTexts({
  'resource-unknown': {
    en: 'There is no such resource for this client.',
    da: 'Denne klient har ingen sådan ressource.',
    sv: 'Den här klienten har ingen sådan resurs.',
    nb: 'Denne klienten har ingen slik ressurs.',
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
