import { type Text, writtenText } from '@kontoport/errors';

/** A text of a test, the same in every language. */
export const said = (words: string): Text => writtenText({ en: words, da: words, sv: words, nb: words });
