import { contrast, mix, readableShade } from './contrast.ts';

/** The look of a bank on pages. */
export interface Brand {
  name: string;
  /** `#rrggbb`. */
  color?: string | undefined;
  /** A `data:` URL of an image. */
  logo?: string | undefined;
}

const [BLACK, WHITE] = ['#000000', '#ffffff'];

/** The variables of the stylesheet that a brand's colour replaces, in shades that are readable in light and dark. */
export function brandStyle({ color }: Brand): string {
  if (color === undefined) return '';
  const light = readableShade(color, { on: ['#ffffff', '#eef1f5'], end: BLACK });
  const dark = readableShade(color, { on: ['#1a212b', '#10151c'], end: WHITE });
  return `:root { ${variables(light, BLACK)} --brand: ${color}; }
@media (prefers-color-scheme: dark) { :root { ${variables(dark, WHITE)} } }
`;
}

function variables(accent: string, end: string): string {
  const strong = mix(accent, end, 0.25);
  const onAccent = contrast(accent, WHITE) > contrast(accent, BLACK) ? WHITE : BLACK;
  return `--accent: ${accent}; --accent-strong: ${strong}; --on-accent: ${onAccent};`;
}
