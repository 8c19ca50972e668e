import type { z } from 'zod';
import type { PaymentFields, PaymentRules } from './payment-type.model.ts';

/** All that is particular to a payment type: its rules, and the form of its fields. */
export interface PaymentTypeRules<Fields extends PaymentFields = PaymentFields> extends PaymentRules<Fields> {
  /** The name of the type in the description of the interface, for example `domestic credit transfer`. */
  readonly title: string;
  /** Fields of a valid draft, for the description of the interface. */
  readonly example: Fields;
  /** Body of PATCH: any of the fields, nothing else (§4.4). Wrong form is refused, wrong content is stored (§2.10). */
  readonly fields: z.ZodType<Fields> & { readonly shape: z.ZodRawShape };
}

/** Payment types by the segment of the path that names them. */
export type PaymentTypes = Readonly<Record<string, PaymentTypeRules>>;
