import { z } from 'zod';

/** The variables of a bank's brand. */
export const brandConfig = {
  /** Name of the bank on every page. */
  BRAND_NAME: z.string().trim().min(1).max(60).default('Kontoport'),
  /** Colour of the bank, `#rrggbb`. Links and buttons have a shade of it that is readable on a light and on a dark page. */
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, '#rrggbb')
    .optional(),
  /** Logo of the bank: a `data:` URL in base64 of an SVG, PNG or WebP image, 44,000 characters at most. */
  BRAND_LOGO: z
    .string()
    .max(44_000)
    .regex(
      /^data:image\/(svg\+xml|png|webp);base64,[A-Za-z0-9+/]+={0,2}$/,
      'a data: URL in base64 of an SVG, PNG or WebP image',
    )
    .optional(),
};
