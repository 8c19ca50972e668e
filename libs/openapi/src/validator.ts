import ajvFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJson, type Json } from './json.ts';

/** Validates JSON by schemas of documents. An unlisted member is a fault, although readers must accept it. */
export class Validator {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<unknown, ValidateFunction>();

  constructor() {
    // A CommonJS module: its function is the member `default` here and the module itself elsewhere.
    const addFormats = (ajvFormats as unknown as { default?: typeof ajvFormats.default }).default;
    (addFormats ?? (ajvFormats as unknown as typeof ajvFormats.default))(this.#ajv);
  }

  /** Registers the components of a document under an id. */
  add(document: Json, id: string): void {
    this.#ajv.addSchema({ $id: id, components: closed(document.components, id) as object });
  }

  /** Returns the faults of a value by a schema of the document with this id: `accounts.0.iban: must be string`. */
  faults(value: unknown, { schema, id }: { schema: unknown; id: string }): string[] {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(closed(schema, id) as object);
    this.#compiled.set(schema, validate);
    return validate(value) ? [] : validate.errors!.map(describeFault);
  }
}

/** The same schema with references into the validator's document, and without room for members that it does not list. */
function closed(schema: unknown, id: string, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => closed(item, id, isPart));
  if (!isJson(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => {
    if (name === '$ref') return [name, `${id}${String(value)}`];
    return [name, name === 'example' || name === 'enum' ? value : closed(value, id, name === 'allOf')];
  });
  const open =
    schema.type === 'object' && isJson(schema.properties) && schema.additionalProperties === undefined;
  return { ...Object.fromEntries(members), ...(open && !isPart ? { additionalProperties: false } : {}) };
}

function describeFault({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.');
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  const detail = extra === undefined ? '' : ` (${extra})`;
  return `${place === '' ? '' : `${place}: `}${message}${detail}${allowed === undefined ? '' : `: ${allowed.join(', ')}`}`;
}
