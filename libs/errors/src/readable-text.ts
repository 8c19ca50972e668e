/**
 * Control characters, line separators, halves of surrogate pairs, and characters that reorder the text around them
 * (bidirectional embeddings, overrides and isolates).
 */
const UNREADABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

const lettersOf = (scripts: string) =>
  `[${scripts
    .split(' ')
    .map((script) => String.raw`\p{scx=${script}}`)
    .join('')}]`;
const JOINING = lettersOf('Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr');
const RIGHT_TO_LEFT = lettersOf('Hebr Arab Syrc Thaa');
const PICTURE = String.raw`\p{ExtPict}[\ufe0e\ufe0f\p{EMod}]?`;

/** Invisible characters where they change what is seen: in emoji, and in scripts that need them. */
const SHAPING = [
  // The flag of a region.
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
  String.raw`${PICTURE}(?:\u200d${PICTURE})*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`\p{sc=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`\p{sc=Mong}[\u180b-\u180d\u180f]`,
  String.raw`(?<=${JOINING})[\u200c\u200d](?=${JOINING})`,
  String.raw`(?<=${RIGHT_TO_LEFT})[\u200e\u200f\u061c]|[\u200e\u200f\u061c](?=${RIGHT_TO_LEFT})`,
].join('|');

/** With the group `shaping`, what `SHAPING` describes; without it, an invisible character: two texts with and without it look the same. */
const INVISIBLE = new RegExp(String.raw`(?<shaping>${SHAPING})|[\p{DI}\ufff9-\ufffb]`, 'gu');

/** A letter, digit, punctuation or symbol that is not drawn as a blank. */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Longer texts stay as they are: normalization takes time in the square of a run of combining marks. */
const MAX_NORMALIZED = 1_024;

/** The text in Unicode normalization form C, when it has at most 1,024 characters. */
export function normalized(text: string): string {
  return text.length > MAX_NORMALIZED ? text : text.normalize();
}

/**
 * The reason why a person cannot read the text as one line: it has characters that no line has or that nobody sees, or none that is
 * visible (§2.10). Joiners count as seen within emoji, and within scripts that need them.
 */
export function readableFault(text: string): 'control-characters' | 'blank' | undefined {
  if (UNREADABLE.test(text)) return 'control-characters';
  if (!VISIBLE.test(text)) return 'blank';
  return withoutInvisible(text) === text ? undefined : 'control-characters';
}

/** A stranger's text as one line that a person can read: what `readableFault` refuses becomes U+FFFD; blank when nothing is visible. */
export function toReadable(text: string): string {
  const line = normalized(text).replaceAll(new RegExp(UNREADABLE, 'gu'), '\u{fffd}').trim();
  return VISIBLE.test(line) ? withoutInvisible(line) : '';
}

function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (_found, shaping?: string) => shaping ?? '\u{fffd}');
}
