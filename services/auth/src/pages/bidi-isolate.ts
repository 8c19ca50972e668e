/** Right-to-left letters, and characters that change the direction of others (Unicode Standard Annex 9). */
const CHANGES_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const [FIRST_STRONG_ISOLATE, POP_DIRECTIONAL_ISOLATE] = ['\u2068', '\u2069'];

/**
 * Isolates a name from outside, so that its direction cannot reorder the sentence around it. The two characters have the effect
 * of `bdi` in HTML, and also work in titles and attributes. A left-to-right name is returned unchanged.
 */
export function bidiIsolate(name: string): string {
  if (!CHANGES_DIRECTION.test(name)) return name;
  return FIRST_STRONG_ISOLATE + name.replaceAll(CONTROLS, '') + POP_DIRECTIONAL_ISOLATE;
}
