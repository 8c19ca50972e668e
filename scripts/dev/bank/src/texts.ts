import { defineTexts } from '@kontoport/errors';

/** The bank's messages to Kontoport; its pages are in English alone, as an example may be. */
export const TEXTS = defineTexts({
  unknown: 'unknown',
  'other-content': 'the id is taken by something else',
  malformed: 'the call is not what the interface says',
});
