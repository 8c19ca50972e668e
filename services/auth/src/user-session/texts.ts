import { defineTexts } from '@kontoport/errors';

/** Texts of the pages that identify the user. */
export const IDENTIFICATION_TEXTS = defineTexts({
  'choose-title': {
    en: 'Who are you?',
    da: 'Hvem er du?',
    sv: 'Vem är du?',
    nb: 'Hvem er du?',
  },
  'choose-sandbox': {
    en: 'This is a sandbox: nobody here is real. Choose the simulated user who answers {client}.',
    da: 'Dette er en sandkasse: ingen her er en virkelig person. Vælg den simulerede bruger, der skal svare {client}.',
    sv: 'Detta är en sandlåda: ingen här är en verklig person. Välj den simulerade användare som ska svara {client}.',
    nb: 'Dette er en sandkasse: ingen her er en virkelig person. Velg den simulerte brukeren som skal svare {client}.',
  },
  'choose-for-consents': {
    en: 'This is a sandbox: nobody here is real. Choose the simulated user whose consents to {client} you want to see.',
    da: 'Dette er en sandkasse: ingen her er en virkelig person. Vælg den simulerede bruger, hvis samtykker til {client} du vil se.',
    sv: 'Detta är en sandlåda: ingen här är en verklig person. Välj den simulerade användare vars samtycken till {client} du vill se.',
    nb: 'Dette er en sandkasse: ingen her er en virkelig person. Velg den simulerte brukeren du vil se samtykkene til {client} for.',
  },
  'choose-legend': {
    en: 'Simulated users',
    da: 'Simulerede brugere',
    sv: 'Simulerade användare',
    nb: 'Simulerte brukere',
  },
  cancel: { en: 'Cancel', da: 'Annuller', sv: 'Avbryt', nb: 'Avbryt' },
  'not-logged-in-title': {
    en: 'You are not logged in',
    da: 'Du er ikke logget ind',
    sv: 'Du är inte inloggad',
    nb: 'Du er ikke logget inn',
  },
  'log-in-again': { en: 'Log in again', da: 'Log ind igen', sv: 'Logga in igen', nb: 'Logg inn igjen' },
  'signed-in': {
    en: 'You are signed in as {user}.',
    da: 'Du er logget ind som {user}.',
    sv: 'Du är inloggad som {user}.',
    nb: 'Du er logget inn som {user}.',
  },
  'other-user': {
    en: 'Choose another user',
    da: 'Vælg en anden bruger',
    sv: 'Välj en annan användare',
    nb: 'Velg en annen bruker',
  },
});
