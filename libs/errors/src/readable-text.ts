/**
 * Control characters, line separators, halves of surrogate pairs, and characters that reorder the text around them
 * (bidirectional embeddings, overrides and isolates). Joiners, which emoji and some scripts need, are not among them.
 */
const UNREADABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

/** A letter, digit, punctuation or symbol that is not drawn as a blank. */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Longer texts stay as they are: normalization takes time in the square of a run of combining marks. */
const MAX_NORMALIZED = 1_024;

/** The text in Unicode normalization form C, when it has at most 1,024 characters. */
export function normalized(text: string): string {
  return text.length > MAX_NORMALIZED ? text : text.normalize();
}

/**
 * The reason why a person cannot read the text as one line: it has characters that no line has, or none that is visible (§2.10).
 */
export function readableFault(text: string): 'control-characters' | 'blank' | undefined {
  if (UNREADABLE.test(text)) return 'control-characters';
  return VISIBLE.test(text) ? undefined : 'blank';
}

/** A stranger's text as one line that a person can read: what `readableFault` refuses becomes U+FFFD; blank when nothing is visible. */
export function toReadable(text: string): string {
  const line = normalized(text).replaceAll(new RegExp(UNREADABLE, 'gu'), '\u{fffd}').trim();
  return VISIBLE.test(line) ? line : '';
}
