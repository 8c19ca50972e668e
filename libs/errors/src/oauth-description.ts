/** Words for characters without an ASCII form. */
const WORDS: Readonly<Record<string, string>> = {
  '§': 'section ',
  '"': "'",
  '\\': '/',
  '‘': "'",
  '’': "'",
  '“': "'",
  '”': "'",
  '„': "'",
  '–': '-',
  '—': '-',
  '−': '-',
  '×': 'x',
  '→': '->',
  '≤': '<=',
  '≥': '>=',
  '€': 'EUR',
  æ: 'ae',
  Æ: 'AE',
  ø: 'o',
  Ø: 'O',
  ß: 'ss',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
};

/**
 * Writes a text as an `error_description`: RFC 6749 §5.2 allows printable ASCII without `"` and `\`. Letters lose their accents,
 * known signs become words, and every other character becomes `?`.
 */
export function oauthDescription(text: string): string {
  return text
    .replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/gu, (character) => WORDS[character] ?? character)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\p{Z}\p{Cc}]/gu, ' ')
    .replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/gu, '?');
}
