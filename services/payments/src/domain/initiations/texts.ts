import { defineTexts } from '@kontoport/errors';

/** Messages about payments that a TPP initiates without a draft (§4.5, §7). */
export const INITIATION_TEXTS = defineTexts({
  'payment-unknown': 'There is no such payment.',
  'payment-booked': 'The payment is booked and cannot be deleted any more.',
  'not-initiated': 'No payment was made: something is wrong with the request; see `details`.',
  'initiation-id-used':
    'This X-Request-Id initiated another payment within the last 24 hours; repeat that body or choose a new id.',
  'not-day': 'is not a day of the calendar such as "2027-01-31"',
  'day-past': 'is past: today is {today}',
  'day-too-late': 'is too far ahead: {last} is the last day',
  'end-before-start': 'is before startDate',
  'no-run': 'is before the first run, which would be on {first}',
  'day-without-months': 'goes with a frequency of months, not with {frequency}',
  'not-day-of-month': 'is not a day of the month, "1" to "31"',
});
