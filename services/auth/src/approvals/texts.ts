import { defineTexts } from '@kontoport/errors';

/** Texts of the pages of an authUrl (§4.4). */
export const APPROVAL_TEXTS = defineTexts({
  'link-invalid-title': {
    en: 'This approval link is not valid',
    da: 'Dette godkendelseslink er ikke gyldigt',
    sv: 'Den här godkännandelänken är inte giltig',
    nb: 'Denne godkjenningslenken er ikke gyldig',
  },
  'link-invalid': {
    en: 'It may be mistyped or no longer valid. Go back to the app or website that sent you here and start again.',
    da: 'Det kan være skrevet forkert eller være udløbet. Gå tilbage til den app eller det websted, der sendte dig hertil, og start forfra.',
    sv: 'Den kan vara felskriven eller ha gått ut. Gå tillbaka till appen eller webbplatsen som skickade dig hit och börja om.',
    nb: 'Den kan være skrevet feil eller ha utløpt. Gå tilbake til appen eller nettstedet som sendte deg hit, og start på nytt.',
  },
  'not-logged-in': {
    en: 'The bank did not log you in, so nothing has been approved or declined. Log in again.',
    da: 'Banken loggede dig ikke ind, så intet er godkendt eller afvist. Log ind igen.',
    sv: 'Banken loggade inte in dig, så inget har godkänts eller avvisats. Logga in igen.',
    nb: 'Banken logget deg ikke inn, så ingenting er godkjent eller avvist. Logg inn igjen.',
  },

  // The question
  'ask-payment': {
    en: '{client} asks you to approve a payment',
    da: '{client} beder dig godkende en betaling',
    sv: '{client} ber dig godkänna en betalning',
    nb: '{client} ber deg godkjenne en betaling',
  },
  'ask-payments': {
    en: '{client} asks you to approve {count} payments',
    da: '{client} beder dig godkende {count} betalinger',
    sv: '{client} ber dig godkänna {count} betalningar',
    nb: '{client} ber deg godkjenne {count} betalinger',
  },
  'ask-standing-order': {
    en: '{client} asks you to approve a standing order',
    da: '{client} beder dig godkende en fast overførsel',
    sv: '{client} ber dig godkänna en stående överföring',
    nb: '{client} ber deg godkjenne et fast oppdrag',
  },
  from: { en: 'From', da: 'Fra', sv: 'Från', nb: 'Fra' },
  to: { en: 'To', da: 'Til', sv: 'Till', nb: 'Til' },
  'number-BBAN': { en: 'Account', da: 'Konto', sv: 'Konto', nb: 'Konto' },
  'number-BANKGIRO': { en: 'Bankgiro number', da: 'Bankgiro', sv: 'Bankgiro', nb: 'Bankgiro' },
  'number-PLUSGIRO': { en: 'Plusgiro number', da: 'Plusgiro', sv: 'Plusgiro', nb: 'Plusgiro' },
  reference: { en: 'Payment reference', da: 'Reference', sv: 'Referens', nb: 'Referanse' },
  day: { en: 'Day', da: 'Dag', sv: 'Dag', nb: 'Dag' },
  'how-often': { en: 'How often', da: 'Hvor ofte', sv: 'Hur ofta', nb: 'Hvor ofte' },
  first: { en: 'First day', da: 'Fra og med', sv: 'Från och med', nb: 'Fra og med' },
  last: { en: 'Last day', da: 'Til og med', sv: 'Till och med', nb: 'Til og med' },
  'no-end': {
    en: 'until it is ended',
    da: 'indtil den bliver stoppet',
    sv: 'tills den avslutas',
    nb: 'til det blir avsluttet',
  },
  Daily: { en: 'every day', da: 'hver dag', sv: 'varje dag', nb: 'hver dag' },
  Weekly: { en: 'every week', da: 'hver uge', sv: 'varje vecka', nb: 'hver uke' },
  EveryTwoWeeks: {
    en: 'every two weeks',
    da: 'hver anden uge',
    sv: 'varannan vecka',
    nb: 'annenhver uke',
  },
  Monthly: { en: 'every month', da: 'hver måned', sv: 'varje månad', nb: 'hver måned' },
  EveryTwoMonths: {
    en: 'every two months',
    da: 'hver anden måned',
    sv: 'varannan månad',
    nb: 'annenhver måned',
  },
  Quarterly: { en: 'every three months', da: 'hvert kvartal', sv: 'varje kvartal', nb: 'hvert kvartal' },
  SemiAnnual: { en: 'every six months', da: 'hvert halve år', sv: 'varje halvår', nb: 'hvert halvår' },
  Annual: { en: 'every year', da: 'hvert år', sv: 'varje år', nb: 'hvert år' },
  'in-all': { en: 'In total', da: 'I alt', sv: 'Totalt', nb: 'Totalt' },
  'answer-until': {
    en: 'You can answer until {time}.',
    da: 'Du kan svare indtil {time}.',
    sv: 'Du kan svara fram till {time}.',
    nb: 'Du kan svare frem til {time}.',
  },
  approve: { en: 'Approve', da: 'Godkend', sv: 'Godkänn', nb: 'Godkjenn' },
  decline: { en: 'Decline', da: 'Afvis', sv: 'Avvisa', nb: 'Avvis' },

  // While the bank asks the user
  'waiting-title': {
    en: 'Confirm with your bank',
    da: 'Bekræft hos din bank',
    sv: 'Bekräfta hos din bank',
    nb: 'Bekreft hos banken din',
  },
  waiting: {
    en: 'You have approved the request of {client}. Confirm it with your bank; this page then continues by itself. You can also close it.',
    da: 'Du har godkendt anmodningen fra {client}. Bekræft den hos din bank; derefter fortsætter siden af sig selv. Du kan også lukke den.',
    sv: 'Du har godkänt begäran från {client}. Bekräfta den hos din bank; sedan fortsätter sidan av sig själv. Du kan också stänga den.',
    nb: 'Du har godkjent forespørselen fra {client}. Bekreft den hos banken din; deretter fortsetter siden av seg selv. Du kan også lukke den.',
  },
  'at-bank': {
    en: 'Confirm at the bank (in a new tab)',
    da: 'Bekræft hos banken (i en ny fane)',
    sv: 'Bekräfta hos banken (i en ny flik)',
    nb: 'Bekreft hos banken (i en ny fane)',
  },
  'look-now': { en: 'Check now', da: 'Tjek nu', sv: 'Kontrollera nu', nb: 'Sjekk nå' },

  // The result
  'ended-APPROVED-title': {
    en: 'You have approved the request',
    da: 'Du har godkendt anmodningen',
    sv: 'Du har godkänt begäran',
    nb: 'Du har godkjent forespørselen',
  },
  'ended-APPROVED': {
    en: 'The request of {client} is approved.',
    da: 'Anmodningen fra {client} er godkendt.',
    sv: 'Begäran från {client} har godkänts.',
    nb: 'Forespørselen fra {client} er godkjent.',
  },
  'ended-REJECTED-title': {
    en: 'The request has not been approved',
    da: 'Anmodningen er ikke blevet godkendt',
    sv: 'Begäran har inte godkänts',
    nb: 'Forespørselen er ikke blitt godkjent',
  },
  'ended-REJECTED': {
    en: 'No payment requested by {client} will be made.',
    da: 'Ingen betaling, som {client} har anmodet om, bliver gennemført.',
    sv: 'Ingen betalning som {client} har begärt kommer att genomföras.',
    nb: 'Ingen betaling som {client} har bedt om, vil bli gjennomført.',
  },
  'ended-EXPIRED-title': {
    en: 'The time to answer has passed',
    da: 'Tiden til at svare er udløbet',
    sv: 'Tiden för att svara har gått ut',
    nb: 'Tiden for å svare er ute',
  },
  'ended-EXPIRED': {
    en: 'No payment requested by {client} will be made. You can start again at {client}.',
    da: 'Ingen betaling, som {client} har anmodet om, bliver gennemført. Du kan begynde forfra hos {client}.',
    sv: 'Ingen betalning som {client} har begärt kommer att genomföras. Du kan börja om hos {client}.',
    nb: 'Ingen betaling som {client} har bedt om, vil bli gjennomført. Du kan begynne på nytt hos {client}.',
  },
  'back-to': {
    en: 'Back to {client}',
    da: 'Tilbage til {client}',
    sv: 'Tillbaka till {client}',
    nb: 'Tilbake til {client}',
  },
});
