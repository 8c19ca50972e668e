/** A colour of sRGB: red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number];

/** The minimum contrast between text and its background (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;
const STEPS = 50;

/** The contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour, or the nearest shade towards `end` whose contrast with every background is enough for text. */
export function readableShade(color: string, options: { on: readonly string[]; end: string }): string {
  const { on, end } = options;
  for (let step = 0; step < STEPS; step++) {
    const shade = mix(color, end, step / STEPS);
    if (on.every((background) => contrast(shade, background) >= LEAST_CONTRAST)) return shade;
  }
  return end;
}

/** Mixes two colours; a share of 0 is the first, of 1 the second. */
export function mix(one: string, other: string, share: number): string {
  const end = channels(other);
  const mixed = channels(one).map((value, at) => Math.round(value + (end[at]! - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channels = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;
