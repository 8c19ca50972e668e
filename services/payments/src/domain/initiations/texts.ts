import { defineTexts } from '@kontoport/errors';

/** What a TPP is told of payments that it initiates without staging them (§4.5, §7). */
export const INITIATION_TEXTS = defineTexts({
  'payment-unknown': {
    en: 'There is no such payment.',
    da: 'Betalingen findes ikke.',
    sv: 'Betalningen finns inte.',
    nb: 'Betalingen finnes ikke.',
  },
  'payment-booked': {
    en: 'The payment is booked and cannot be deleted any more.',
    da: 'Betalingen er bogført og kan ikke længere slettes.',
    sv: 'Betalningen är bokförd och kan inte längre tas bort.',
    nb: 'Betalingen er bokført og kan ikke lenger slettes.',
  },
  'not-initiated': {
    en: 'No payment was made: something is wrong with the request; see `details`.',
    da: 'Der blev ikke oprettet nogen betaling: noget er galt med forespørgslen; se `details`.',
    sv: 'Ingen betalning skapades: något är fel med begäran; se `details`.',
    nb: 'Ingen betaling ble opprettet: noe er galt med forespørselen; se `details`.',
  },
  'initiation-id-used': {
    en: 'This X-Request-Id initiated another payment within the last 24 hours; repeat that body or choose a new id.',
    da: 'Dette X-Request-Id har oprettet en anden betaling inden for de seneste 24 timer; gentag dens indhold, eller vælg et nyt id.',
    sv: 'Detta X-Request-Id har skapat en annan betalning under de senaste 24 timmarna; upprepa dess innehåll eller välj ett nytt id.',
    nb: 'Denne X-Request-Id-en har opprettet en annen betaling i løpet av de siste 24 timene; gjenta innholdet fra den, eller velg en ny id.',
  },
  'not-day': {
    en: 'is not a day of the calendar such as "2027-01-31"',
    da: 'er ikke en dag i kalenderen som "2027-01-31"',
    sv: 'är inte en dag i kalendern som "2027-01-31"',
    nb: 'er ikke en dag i kalenderen som "2027-01-31"',
  },
  'day-past': {
    en: 'is past: today is {today}',
    da: 'er overstået: i dag er det {today}',
    sv: 'har passerat: i dag är det {today}',
    nb: 'er passert: i dag er det {today}',
  },
  'day-too-late': {
    en: 'is too far ahead: {last} is the last day',
    da: 'ligger for langt ude i fremtiden: {last} er den sidste dag',
    sv: 'ligger för långt fram i tiden: {last} är den sista dagen',
    nb: 'ligger for langt fram i tid: {last} er den siste dagen',
  },
  'end-before-start': {
    en: 'is before startDate',
    da: 'ligger før startDate',
    sv: 'ligger före startDate',
    nb: 'er før startDate',
  },
  'no-run': {
    en: 'is before the first run, which would be on {first}',
    da: 'ligger før den første betaling, som ville være den {first}',
    sv: 'ligger före den första betalningen, som skulle vara den {first}',
    nb: 'er før den første betalingen, som ville vært {first}',
  },
  'day-without-months': {
    en: 'goes with a frequency of months, not with {frequency}',
    da: 'hører til en frekvens i måneder, ikke til {frequency}',
    sv: 'hör till en frekvens i månader, inte till {frequency}',
    nb: 'hører til en frekvens i måneder, ikke til {frequency}',
  },
  'not-day-of-month': {
    en: 'is not a day of the month, "1" to "31"',
    da: 'er ikke en dag i måneden, "1" til "31"',
    sv: 'är inte en dag i månaden, "1" till "31"',
    nb: 'er ikke en dag i måneden, "1" til "31"',
  },
  'cursor-invalid': {
    en: 'The cursor is none that this list has given; start without cursor.',
    da: 'Cursoren er ikke en, som denne liste har givet; begynd uden cursor.',
    sv: 'Markören är ingen som den här listan har gett; börja utan markör.',
    nb: 'Markøren er ikke en som denne listen har gitt; begynn uten markør.',
  },
  'limit-range': {
    en: 'must be from {least} to {most}',
    da: 'skal være fra {least} til {most}',
    sv: 'ska vara från {least} till {most}',
    nb: 'må være fra {least} til {most}',
  },
});
