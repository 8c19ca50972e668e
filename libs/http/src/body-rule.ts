import type { z } from 'zod';

/** The rule of a route's body: JSON or a form, checked by a zod schema. */
export type BodyRule = {
  /** The body may be absent. */
  optional?: true;
  /** An example of a request body, for the OpenAPI document, which cannot be made without one. */
  example?: unknown;
} & ({ json: z.ZodType; form?: undefined } | { form: z.ZodType; json?: undefined });

/** The type of `body` in a handler. */
export type BodyOf<B extends BodyRule | undefined> = B extends { json: infer Schema extends z.ZodType }
  ? z.output<Schema> | Absent<B>
  : B extends { form: infer Schema extends z.ZodType }
    ? z.output<Schema> | Absent<B>
    : undefined;
type Absent<B> = B extends { optional: true } ? undefined : never;
