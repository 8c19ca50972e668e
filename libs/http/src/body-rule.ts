import type { z } from 'zod';

/** How a route takes its body: as JSON or as a form, of the shape of a zod schema. */
export type BodyRule = {
  /** The request may come without. */
  optional?: true;
  /** As a caller sends it, for the description of the interface; without one that cannot be made. */
  example?: unknown;
} & ({ json: z.ZodType; form?: undefined } | { form: z.ZodType; json?: undefined });

/** What a handler gets under a body rule. */
export type BodyOf<B extends BodyRule | undefined> = B extends { json: infer Schema extends z.ZodType }
  ? z.output<Schema> | Absent<B>
  : B extends { form: infer Schema extends z.ZodType }
    ? z.output<Schema> | Absent<B>
    : undefined;
type Absent<B> = B extends { optional: true } ? undefined : never;
