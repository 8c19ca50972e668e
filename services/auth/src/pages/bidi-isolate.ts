/** Letters that run from right to left, and characters that turn the direction of others (Unicode Standard Annex 9). */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const [FIRST_STRONG_ISOLATE, POP_DIRECTIONAL_ISOLATE] = ['\u2068', '\u2069'];

/**
 * A name that others chose, set apart so that its direction reorders nothing of the sentence around it. What HTML says with
 * `bdi` the two characters say in titles and attributes, too; a name that runs as the sentence does needs neither.
 */
export function apart(name: string): string {
  if (!TURNS.test(name)) return name;
  return FIRST_STRONG_ISOLATE + name.replaceAll(CONTROLS, '') + POP_DIRECTIONAL_ISOLATE;
}
