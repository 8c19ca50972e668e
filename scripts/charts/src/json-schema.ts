/** The part of JSON Schema (draft 2020-12) that the values are described with. */
export interface JsonSchema {
  $schema?: string;
  /** `AS_ELSEWHERE`: told in another place, so in no text for readers. */
  $comment?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  maxProperties?: number;
  minProperties?: number;
  if?: JsonSchema;
  else?: JsonSchema;
  allOf?: JsonSchema[];
  not?: JsonSchema;
}

/** Marks what `defaults` or `settings` tell already. */
export const AS_ELSEWHERE = 'as elsewhere';
