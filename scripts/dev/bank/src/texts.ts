import { defineTexts } from '@kontoport/errors';

/** What the bank says to Kontoport; its pages speak English alone, as an example may. */
export const TEXTS = defineTexts({
  unknown: 'unknown',
  'other-content': 'the id is taken by something else',
  malformed: 'the call is not what the interface says',
});
